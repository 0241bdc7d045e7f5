from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.errors import Invalid
from eaas.job_array import array_of
from eaas.job_fields import flag_fields, nested
from eaas.job_spec import MAX_MISTAKES, JobSpec, read_spec, spec_as_typed
from eaas.restart import Restart
from tests.rig.costs import cost_s

PACK = "sha256:" + "ab" * 32

FULL: dict[str, object] = {
    "name": "finetune-qwen",
    "pool": "gpu-3090",
    "queue": "train",
    "image": "pytorch/pytorch:latest",
    "command": "python train.py",
    "gpus": 1,
    "gpu_type": "RTX 3090",
    "gpu_memory": "20GiB",
    "share": True,
    "cpus": 8,
    "memory": "32GiB",
    "shm_size": "8GiB",
    "env": {"HF_HOME": "/data/hf"},
    "mounts": ["datasets:/data:ro"],
    "with": ".",
    "workdir": "/workspace",
    "run_as": "1000:1000",
    "timeout": "12h",
    "restart": {"policy": "on-failure", "retries": 3, "backoff": "30s"},
    "priority": 5,
    "after": [41],
    "after_failed": "wait",
    "not_before": "2026-03-01T08:00:00.000Z",
    "array": "0-2,5",
    "nodes": ["node-a", "node-b"],
    "labels": {"project": "qwen"},
}
EVERY_KEY = (*FULL, "num_nodes")
"""An array's tasks run on one node each."""


def mistakes_in(fields: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    with pytest.raises(Invalid) as refused:
        read_spec(fields)
    return [(error.field, error.message, error.suggestion) for error in refused.value.errors]


def test_every_field_is_read_into_its_unit() -> None:
    assert read_spec(FULL) == JobSpec(
        name="finetune-qwen",
        pool="gpu-3090",
        queue="train",
        image="pytorch/pytorch:latest",
        command="python train.py",
        gpus=1,
        gpu_type="RTX 3090",
        gpu_memory_mib=20480,
        share=True,
        cpus=8.0,
        memory_mib=32768,
        shm_mib=8192,
        env={"HF_HOME": "/data/hf"},
        mounts=("datasets:/data:ro",),
        with_folder=".",
        workdir="/workspace",
        run_as="1000:1000",
        timeout_s=43200.0,
        restart=Restart(policy="on-failure", retries=3, backoff_s=30.0),
        priority=5,
        after=(41,),
        after_failed="wait",
        not_before=1772352000.0,
        array=array_of((0, 1, 2, 5)),
        nodes=("node-a", "node-b"),
        labels={"project": "qwen"},
    )


def test_a_spec_is_given_back_as_it_was_typed() -> None:
    on_two = {"command": "true", "num_nodes": 2, "nodes": ["node-a", "node-b"]}

    assert spec_as_typed(read_spec(FULL)) == FULL
    assert spec_as_typed(read_spec(on_two)) == on_two


def test_a_job_has_the_parts_of_its_array_or_its_ranks() -> None:
    arrays: tuple[dict[str, object], ...] = ({"array": "3,5"}, {"num_nodes": 3}, {})

    assert [list(read_spec({"command": "true", **one}).parts) for one in arrays] == [
        [3, 5],
        [0, 1, 2],
        [],
    ]


def test_an_array_on_several_nodes_is_refused() -> None:
    assert mistakes_in({"command": "true", "array": "0-3", "num_nodes": 2}) == [
        (
            "num_nodes",
            "num_nodes: every task of an array runs on one node: leave out array or num_nodes",
            None,
        )
    ]


def test_defaults_are_not_given_back() -> None:
    assert spec_as_typed(read_spec({"command": "true", "gpus": 0, "restart": "never"})) == {
        "command": "true"
    }


def test_a_packed_folder_goes_by_its_hash() -> None:
    spec = read_spec({"command": "true", "with": PACK})

    assert (spec.with_folder, spec.pack) == (None, PACK)
    assert spec_as_typed(spec) == {"command": "true", "with": PACK}


def test_a_queue_may_name_its_pool() -> None:
    spec = read_spec({"command": "true", "queue": "gpu-3090/train"})

    assert (spec.pool, spec.queue) == ("gpu-3090", "train")


def test_the_text_of_flags_makes_the_same_job() -> None:
    flags = {
        "image": "busybox",
        "command": "true",
        "gpus": "1",
        "gpu_memory": "20GiB",
        "share": True,
        "cpus": "0.5",
        "env": ["A=1", "B=x=y"],
        "mounts": ["d:/data"],
        "after": ["41", "42"],
        "restart.retries": "3",
        "labels": ["project=qwen"],
    }

    assert set(flags) <= {field.key for field in flag_fields()}
    assert read_spec(nested(flags)) == JobSpec(
        image="busybox",
        command="true",
        gpus=1,
        gpu_memory_mib=20480,
        share=True,
        cpus=0.5,
        env={"A": "1", "B": "x=y"},
        mounts=("d:/data",),
        after=(41, 42),
        restart=Restart(policy="on-failure", retries=3),
        labels={"project": "qwen"},
    )


def test_a_spec_travels_as_json() -> None:
    spec = read_spec(FULL)

    assert msgspec.json.decode(msgspec.json.encode(spec), type=JobSpec) == spec


def test_every_mistake_is_listed_at_once() -> None:
    assert mistakes_in({"gpu_mem": "20GiB", "gpus": "two", "timeout": 90, "image": None}) == [
        ("gpu_mem", "gpu_mem: no such key in a job", "gpu_memory"),
        ("gpus", "gpus: must be a whole number from 0 to 64, not 'two'", None),
        ("timeout", "timeout: 90 has no unit: write 90s, 90m or 90h", "90s"),
        ("image", "image: has no value: write one, or leave the key out", None),
    ]


@pytest.mark.parametrize(
    ("fields", "mistake"),
    [
        ({}, ("", "a job needs an image, a command, or both", None)),
        (
            {"command": "x", "gpu_memory": "20GiB"},
            ("gpu_memory", "gpu_memory: needs cards: write gpus: 1 or more", None),
        ),
        (
            {"command": "x", "gpus": 0, "gpu_type": "A100"},
            ("gpu_type", "gpu_type: needs cards: write gpus: 1 or more", None),
        ),
        (
            {"command": "x", "gpus": 1, "share": True},
            ("share", "share: needs gpu_memory: how much of the card it takes", None),
        ),
        (
            {"command": "x", "gpus": 2, "gpu_memory": "4GiB", "share": True},
            ("share", "share: is part of one card: write gpus: 1", None),
        ),
        (
            {"command": "x", "pool": "a", "queue": "b/c"},
            ("queue", "queue: names the pool b, but pool says a", None),
        ),
        (
            {"command": "x", "num_nodes": 3, "nodes": ["a"]},
            ("num_nodes", "num_nodes: asks for 3 nodes, but nodes lists 1", None),
        ),
        ({"comand": "x"}, ("comand", "comand: no such key in a job", "command")),
        ({"command": "x", "a\nb": 1}, ("'a\\nb'", "'a\\nb': no such key in a job", None)),
        (
            {"command": "x", "mounts": ["a:/x", "/b:/b"]},
            (
                "mounts[1]",
                "mounts[1]: only mounts that the node's owner has named exist, never folders "
                "of the host: write NAME:/data, not '/b:/b'",
                None,
            ),
        ),
        (
            {"command": "x", "restart": {"retries": -1}},
            (
                "restart.retries",
                "restart.retries: must be a whole number from 0 to 100, not -1",
                None,
            ),
        ),
    ],
)
def test_a_mistake_names_its_field(
    fields: dict[str, object], mistake: tuple[str, str, str | None]
) -> None:
    assert mistakes_in(fields) == [mistake]


def test_a_wrong_field_is_not_blamed_for_others() -> None:
    assert [m[0] for m in mistakes_in({"command": "", "gpus": "x", "gpu_memory": "1GiB"})] == [
        "command",
        "gpus",
    ]


def test_the_sentence_says_what_was_probably_meant() -> None:
    with pytest.raises(Invalid) as refused:
        read_spec({"command": "x", "gpu_mem": 1})

    assert refused.value.sentence == "gpu_mem: no such key in a job; did you mean gpu_memory?"


def test_no_end_of_mistakes_is_listed_to_the_end() -> None:
    with pytest.raises(Invalid) as refused:
        read_spec({f"x{i}": 1 for i in range(1000)})

    assert len(refused.value.errors) == MAX_MISTAKES + 1
    assert refused.value.errors[-1].message == "and more: these are the first 100"
    assert refused.value.sentence.endswith("; and more: these are the first 100")


NAMES = st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,8}[a-z0-9])?", fullmatch=True)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
VALUES = TEXTS.filter(str.strip)

SPECS = st.builds(
    JobSpec,
    name=st.none() | st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._ -]{0,8}[A-Z])?", fullmatch=True),
    pool=st.none() | NAMES,
    queue=NAMES,
    image=st.none() | st.sampled_from(["busybox", "a.b:5000/c/d:e", "x@sha256:" + "0" * 64]),
    command=VALUES | st.lists(VALUES, min_size=1, max_size=4).map(tuple),
    gpus=st.just(1),
    gpu_type=st.none() | st.just("RTX 3090"),
    gpu_memory_mib=st.integers(1, 2**20),
    share=st.booleans(),
    cpus=st.none() | st.floats(0.01, 4096),
    memory_mib=st.none() | st.integers(6, 2**20),
    shm_mib=st.none() | st.integers(1, 2**20),
    env=st.dictionaries(st.from_regex("[a-z_][a-z0-9_]{0,8}", fullmatch=True), TEXTS, max_size=4),
    mounts=st.sampled_from([(), ("a:/data",), ("a:/data:ro", "b:/x y:rw")]),
    with_folder=st.sampled_from([None, ".", "../code"]),
    workdir=st.sampled_from([None, "/", "/workspace/src"]),
    run_as=st.sampled_from([None, "0", "1000:1000"]),
    timeout_s=st.none() | st.floats(0.001, 1e8),
    restart=st.builds(
        Restart,
        policy=st.just("on-failure"),
        retries=st.integers(1, 100),
        backoff_s=st.floats(0.001, 86400) | st.just(0.0),
    )
    | st.just(Restart()),
    priority=st.integers(-100, 100),
    after=st.lists(st.integers(1, 2**53), unique=True, max_size=4).map(tuple),
    after_failed=st.sampled_from(["fail", "wait"]),
    not_before=st.none() | st.integers(0, 4 * 10**12).map(lambda ms: ms / 1000),
    array=st.sets(st.integers(0, 999), max_size=9).map(array_of),
    num_nodes=st.integers(1, 64),
    nodes=st.just(()),
    labels=st.dictionaries(NAMES, NAMES, max_size=4),
).map(lambda spec: msgspec.structs.replace(spec, num_nodes=1) if spec.array else spec)


@given(SPECS)
def test_what_is_given_back_makes_the_same_spec(spec: JobSpec) -> None:
    typed = msgspec.json.decode(msgspec.json.encode(spec_as_typed(spec)))

    assert read_spec(typed) == spec


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(sorted(EVERY_KEY)) | st.text(max_size=9), ANYTHING, max_size=6)
)
def test_whatever_is_typed_is_read_or_refused(fields: dict[str, object]) -> None:
    spec: JobSpec | None
    try:
        spec = read_spec(fields)
    except Invalid as refused:
        spec = None
        messages = [error.message for error in refused.errors]
    else:
        messages = []

    assert all(messages)
    assert (spec is None) == bool(messages)
    assert spec is None or read_spec(spec_as_typed(spec)) == spec


def test_reading_a_small_job_is_cheap() -> None:
    fields = {
        "image": "pytorch/pytorch:latest",
        "command": "python train.py",
        "gpus": 1,
        "gpu_memory": "20GiB",
        "env": {"HF_HOME": "/data/hf"},
    }
    assert cost_s(lambda: read_spec(fields), times=50) < 60e-6


@pytest.mark.parametrize(
    ("text", "suggestion", "words"),
    [
        ("1000", "run_as", "no such key"),
        ("1000:1000", "run_as", "no such key"),
        ("ann", None, "the file's owner's"),
    ],
)
def test_a_user_is_the_jobs_owner_unless_it_is_a_number(
    text: str, suggestion: str | None, words: str
) -> None:
    with pytest.raises(Invalid) as refused:
        read_spec({"image": "a", "user": text})

    (error,) = refused.value.errors
    assert error.suggestion == suggestion
    assert words in error.message
