"""What the driver's answers mean."""

import pytest

from eaas_agent.cards.nvml_answers import (
    LinkKind,
    Meaning,
    RawProcess,
    Refused,
    is_misread,
    link_kind,
    meaning,
    union_by_pid,
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (12, "no_driver"),
        (9, "no_driver"),
        (18, "mismatch"),
        (15, "lost"),
        (16, "lost"),
        (999, "lost"),
        (3, "never"),
        (4, "never"),
        (13, "never"),
        (1, "uninitialized"),
        (6, "empty"),
        (10, "empty"),
        (21, "empty"),
        (7, "again"),
        (19, "again"),
        (20, "again"),
        (12345, "again"),
    ],
)
def test_each_refusal_asks_for_one_thing_and_a_new_one_for_another_try(
    code: int, said: Meaning
) -> None:
    assert meaning(Refused(code=code, text="")) == said


@pytest.mark.parametrize("pid", [0, 0xFFFFFFFF])
def test_a_list_with_an_impossible_pid_was_misread(pid: int) -> None:
    good = RawProcess(pid=4242, memory_bytes=1)

    assert is_misread([good, RawProcess(pid=pid, memory_bytes=1)])
    assert not is_misread([good])
    assert not is_misread([])


def test_a_process_on_two_lists_is_one_with_the_larger_memory() -> None:
    compute = [RawProcess(pid=9, memory_bytes=None), RawProcess(pid=7, memory_bytes=100)]
    graphics = [RawProcess(pid=7, memory_bytes=300), RawProcess(pid=9, memory_bytes=None)]

    assert union_by_pid([compute, graphics]) == (
        RawProcess(pid=7, memory_bytes=300),
        RawProcess(pid=9, memory_bytes=None),
    )


@pytest.mark.parametrize(
    ("level", "kind"),
    [(0, "board"), (10, "bridge"), (20, "bridge"), (30, "host"), (40, "node"), (50, "system")],
)
def test_a_topology_level_has_a_word(level: int, kind: LinkKind) -> None:
    assert link_kind(level=level, nvlink=False) == kind
    assert link_kind(level=level, nvlink=True) == "nvlink"


def test_a_topology_that_is_refused_or_new_is_unknown() -> None:
    assert link_kind(level=Refused(code=3, text=""), nvlink=False) == "unknown"
    assert link_kind(level=35, nvlink=False) == "unknown"
