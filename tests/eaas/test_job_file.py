import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.errors import Invalid, TooLarge
from eaas.job_file import MAX_DOCUMENTS, JobDocument, read_job_file
from eaas.job_spec import JobSpec
from eaas.restart import Restart

EXAMPLES = Path(__file__).parents[2] / "config" / "jobs"

Place = tuple[str, int | None, int | None, str | None]


def mistakes_in(data: bytes | str) -> list[Place]:
    with pytest.raises(Invalid) as refused:
        read_job_file(data)
    return [(e.field, e.line, e.column, e.suggestion) for e in refused.value.errors]


def messages_in(data: bytes | str) -> list[str]:
    with pytest.raises(Invalid) as refused:
        read_job_file(data)
    return [error.message for error in refused.value.errors]


def test_a_file_holds_a_job_in_each_document() -> None:
    assert read_job_file("command: a\n---\n# none\n---\ncommand: [b]\ngpus: 2\n...\n") == [
        JobDocument(spec=JobSpec(command="a"), line=1),
        JobDocument(spec=JobSpec(command=("b",), gpus=2), line=5),
    ]


def test_a_document_may_carry_its_idempotency_key() -> None:
    (document,) = read_job_file("command: a\nkey: nightly-7\n")

    assert document == JobDocument(spec=JobSpec(command="a"), line=1, key="nightly-7")


def test_the_form_of_the_design_is_read() -> None:
    (document,) = read_job_file(
        """
name: finetune-qwen           # optional
command: python train.py
gpus: 1
gpu_type: 3090
gpu_memory: 20GiB
env: {HF_HOME: /data/hf, PORT: 8080}
mounts: ["datasets:/data:ro"]
run_as: 1000:1000
timeout: 12h
restart: {policy: on-failure, retries: 3, backoff: 30s}
"""
    )

    assert document.line == 2
    assert document.spec == JobSpec(
        name="finetune-qwen",
        command="python train.py",
        gpus=1,
        gpu_type="3090",
        gpu_memory_mib=20480,
        env={"HF_HOME": "/data/hf", "PORT": "8080"},
        mounts=("datasets:/data:ro",),
        run_as="1000:1000",
        timeout_s=43200.0,
        restart=Restart(policy="on-failure", retries=3, backoff_s=30.0),
    )


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfcommand: a\r\ngpus: 1\r\n",
        "\ufeffcommand: a\ngpus: 1",
        b'{"command": "a",\n\t"gpus":1}',
        "command: a\rgpus: 1",
    ],
)
def test_marks_of_other_systems_and_json_are_taken(data: bytes | str) -> None:
    assert read_job_file(data) == [JobDocument(spec=JobSpec(command="a", gpus=1), line=1)]


def test_lines_are_counted_through_crlf() -> None:
    assert mistakes_in(b"command: a\r\n\r\ngpu: 1\r\n") == [("gpu", 3, 1, "gpus")]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_json_keeps_every_character_of_a_command(command: str) -> None:
    text = json.dumps({"command": f"x{command}", "env": {"A": "\\ud83d"}})

    (document,) = read_job_file(text)

    assert document.spec.command == f"x{command}"
    assert document.spec.env == {"A": "\\ud83d"}


@pytest.mark.parametrize(
    ("data", "mistakes"),
    [
        ("", [("", 1, 1, None)]),
        ("# only words\n---\n", [("", 1, 1, None)]),
        ("name: x\n", [("", 1, 1, None)]),
        ("- command: x\n", [("", 1, 1, None)]),
        ("just text\n", [("", 1, 1, None)]),
        ("command: x\ngpu_mem: 1\n", [("gpu_mem", 2, 1, "gpu_memory")]),
        ("command: x\nvolumes: []\n", [("volumes", 2, 1, "mounts")]),
        ("command: x\ngpus: two\n", [("gpus", 2, 7, None)]),
        ("command: x\ngpus: 1\ngpus: 2\n", [("gpus", 3, 1, None)]),
        ("command: x\ngpus: 1\ngpu_memory:   20\n", [("gpu_memory", 3, 15, "20GiB")]),
        ("command: x\nshare: yes\n", [("share", 2, 8, "true")]),
        ("command: x\ntimeout:\n  - 1\n", [("timeout", 3, 3, None)]),
        ("command: x\nimage:\n", [("image", 2, 7, None)]),
        ("command: x\nenv:\n  OK: 1\n  NVIDIA_X: 2\n", [("env.NVIDIA_X", 4, 3, None)]),
        ("command: x\nenv: {A: true}\n", [("env.A", 2, 10, '"true"')]),
        ("command: x\nmounts:\n- a:/x\n- /b:/b\n", [("mounts[1]", 4, 3, None)]),
        ("command: x\nrestart: {retry: 3}\n", [("restart.retry", 2, 11, "retries")]),
        ("command: x\ngpu_memory: 1GiB\n", [("gpu_memory", 2, 13, None)]),
        ("command: *x\n", [("command", 1, 10, '"*x"')]),
        ("command: !!python/name:os.system x\n", [("command", 1, 10, None)]),
        ("command: x\n<<: {gpus: 1}\n", [("'<<'", 2, 1, None)]),
        ("command: echo a: b\n", [("", 1, 16, None)]),
        ("command: x\nkey: a b\n", [("key", 2, 6, "a-b")]),
        (
            "command: x\nkey: a b\ngpu: 1\n",
            [("key", 2, 6, "a-b"), ("gpu", 3, 1, "gpus")],
        ),
        (
            "gpus: x\npriority: 101\n---\ncommand: a: b\n---\ncomand: x\n",
            [
                ("", 1, 1, None),
                ("gpus", 1, 7, None),
                ("priority", 2, 11, None),
                ("", 4, 11, None),
                ("comand", 6, 1, "command"),
            ],
        ),
        (b"command: \xc4\xe3\xba\xc3\n", [("", 1, 10, None)]),
        (b"command: x\nname: caf\xe9\n", [("", 2, 10, None)]),
        ("command: x".encode("utf-16"), [("", 1, 1, None)]),
        ("command: x\nname: a\x07b\n", [("", 2, 8, None)]),
    ],
)
def test_a_mistake_is_found_where_it_stands(data: bytes | str, mistakes: list[Place]) -> None:
    assert mistakes_in(data) == mistakes


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xc4\xe3\xba\xc3", "this is not UTF-8 but probably GBK: save the file as UTF-8"),
        (
            b"caf\xe9 x",
            "this is not UTF-8 but probably Latin-1 (Windows-1252): save the file as UTF-8",
        ),
        ("command: x".encode("utf-16-be"), "the file is UTF-16: save it as UTF-8"),
        ("command: \x1b[31m", "the character U+001B can't stand in a job file"),
        ("", "the file holds no job"),
        ("[1]", "a job is `key: value` lines, not a list; between jobs stands ---"),
    ],
)
def test_a_file_that_is_no_job_file_says_why(data: bytes | str, message: str) -> None:
    assert messages_in(data) == [message]


def test_the_sentence_names_the_file_and_the_place() -> None:
    with pytest.raises(Invalid) as refused:
        read_job_file("command: x\ngpu_mem: 1\n", name="train.yaml")

    assert refused.value.sentence == (
        "train.yaml: line 2, column 1: gpu_mem: no such key in a job; did you mean gpu_memory?"
    )


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"big\.yaml is 257 KiB; a job file is 256 KiB at most"):
        read_job_file(b"#" * (256 * 1024 + 1), name="big.yaml")


def test_a_file_with_too_many_jobs_is_refused() -> None:
    with pytest.raises(TooLarge, match="holds more than 1000 jobs"):
        read_job_file("command: x\n---\n" * (MAX_DOCUMENTS + 1))


@given(st.text(st.sampled_from("ab:- \n\t{}[],'\"|>*&!%@#?\\~0<é中"), max_size=60) | st.binary())
def test_whatever_a_file_holds_is_read_or_refused(data: str | bytes) -> None:
    try:
        documents = read_job_file(data)
    except Invalid as refused:
        documents = []
        places = [(error.line, error.column) for error in refused.errors]
    else:
        places = []

    assert bool(places) != bool(documents)
    assert all(line and column for line, column in places)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.name)
def test_every_example_is_a_job(path: Path) -> None:
    assert len(read_job_file(path.read_bytes(), name=path.name)) == 1
    assert path.read_text().startswith("# yaml-language-server: $schema=../job.schema.json\n")


def test_the_examples_are_all_there() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.yaml")}

    assert {"hello", "train", "cpu", "multi-card", "retry", "several-nodes"} <= names
