import pytest

from eaas.field_checks import Check, Mistake, Wrong
from eaas.job_after import JobNames
from eaas.job_lists import Environment, Labels, Nodes


@pytest.mark.parametrize(
    ("check", "value", "read"),
    [
        (Environment(), {"A": "x", "_B1": 8080, "C": 0.5, "D": ""}, None),
        (Environment(), ["A=x", "_B1=8080", "C=0.5", "D="], None),
        (Labels(), {"project": "qwen", "team/a": 7}, {"project": "qwen", "team/a": "7"}),
        (Labels(), "project=qwen", {"project": "qwen"}),
        (Nodes(), "node-a, node-b", ("node-a", "node-b")),
        (Nodes(), ["b", "a", "b"], ("b", "a")),
        (JobNames(), 41, (41,)),
        (JobNames(), "41,42", (41, 42)),
        (JobNames(), [41, 41], (41,)),
    ],
)
def test_what_holds_several_is_read_and_reads_back(
    check: Check, value: object, read: object
) -> None:
    expected = read or {"A": "x", "_B1": "8080", "C": "0.5", "D": ""}

    assert check.read(value) == expected
    assert check.read(check.typed(check.read(value))) == expected


@pytest.mark.parametrize(
    ("check", "value", "mistake"),
    [
        (
            Environment(),
            {"1A": "x"},
            Mistake(
                "a variable's name must be letters, digits and _, not beginning with a digit",
                path=("1A",),
                on_key=True,
            ),
        ),
        (
            Environment(),
            {"CUDA_VISIBLE_DEVICES": "0"},
            Mistake(
                "cards are given by the pool: ask for them with gpus, gpu_type, gpu_memory",
                path=("CUDA_VISIBLE_DEVICES",),
                on_key=True,
            ),
        ),
        (
            Environment(),
            {"EAAS_JOB_ID": "1"},
            Mistake(
                "names that begin with EAAS_ are set by the pool itself",
                path=("EAAS_JOB_ID",),
                on_key=True,
            ),
        ),
        (
            Environment(),
            {"A": True},
            Mistake("must be text: put true in quotes", '"true"', ("A",)),
        ),
        (
            Environment(),
            {"A": "\0"},
            Mistake("must not contain NUL characters or halves of characters", path=("A",)),
        ),
        (Environment(), ["A"], Mistake("must be KEY=VALUE, not 'A'", path=(0,))),
        (Environment(), 7.5, Mistake("must be a list, not 7.5")),
        (
            Environment(),
            {"A": "x" * 70_000},
            Mistake("must be 64 KiB at most in all, not 68 KiB"),
        ),
        (
            Labels(),
            {"-a": "x"},
            Mistake(
                "a label's name must be 1 to 63 letters, digits and . _ / - inside",
                path=("-a",),
                on_key=True,
            ),
        ),
        (
            Labels(),
            {"a": "\x1b"},
            Mistake(
                "must be 63 letters, digits, blanks and . _ / : @ + - at most, not '\\x1b'",
                path=("a",),
            ),
        ),
        (Labels(), {f"a{i}": "" for i in range(33)}, Mistake("must be 32 labels at most, not 33")),
        (Nodes(), ["Node A"], Mistake("must be a node's name, not 'Node A'", "node-a", (0,))),
        (Nodes(), ["a"] * 257, Mistake("must be 256 at most, not 257")),
        (
            JobNames(),
            [0],
            Mistake("must be a whole number from 1 to 9007199254740992, not 0", path=(0,)),
        ),
    ],
)
def test_what_holds_a_wrong_one_is_refused(check: Check, value: object, mistake: Mistake) -> None:
    with pytest.raises(Wrong) as refused:
        check.read(value)

    assert refused.value.mistakes == (mistake,)


def test_every_wrong_item_is_listed() -> None:
    with pytest.raises(Wrong) as refused:
        Environment().read({"A B": "x", "OK": "y", "NVIDIA_X": 1})

    assert [mistake.path for mistake in refused.value.mistakes] == [("A B",), ("NVIDIA_X",)]
