from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from eaas.ids import CardUuid, JobNumber
from eaas_agent.cards.port import CardProcess, CardReading
from eaas_agent.cards.sharing import Excess, ShareRules, excess, shareable_mib
from eaas_agent.cards.verdict import DEFAULT_RULES, NEW_CARD, CardClaim, CardHistory

IDLE = CardHistory(idle_mib=4)
A = CardClaim(job=JobNumber(42), attempt=1, memory_mib=6144, uid="a")
B = CardClaim(job=JobNumber(43), attempt=1, memory_mib=4096, uid="b")
CARD = CardReading(
    uuid=CardUuid("GPU-a"),
    index=0,
    minor=0,
    model="RTX",
    memory_total_mib=24576,
    memory_used_mib=4,
    utilization_pct=0,
    temperature_c=30,
    power_w=20.0,
    processes=(),
)


def owner(process: CardProcess) -> str | None:
    return process.container


def a_process(uid: str | None, mib: int | None) -> CardProcess:
    return CardProcess(pid=1, memory_mib=mib, container=uid, user="bob", command="python x.py")


def told(
    *processes: CardProcess,
    used: int | None = None,
    claims: Sequence[CardClaim] = (A, B),
    before: tuple[JobNumber, ...] = (),
) -> Excess:
    known = sum(process.memory_mib or 0 for process in processes)
    reading = replace(
        CARD, processes=processes, memory_used_mib=4 + known if used is None else used
    )
    return excess(reading, claims, owner=owner, idle_mib=4, before=before, rules=DEFAULT_RULES)


def test_all_may_be_shared_but_what_the_driver_takes_and_the_reserve() -> None:
    reading = replace(CARD, memory_reserved_mib=600)

    assert shareable_mib(CARD, IDLE, DEFAULT_RULES, ShareRules()) == 24576 - 4 - 512
    assert shareable_mib(reading, IDLE, DEFAULT_RULES, ShareRules()) == 24576 - 4 - 600 - 512
    assert shareable_mib(CARD, IDLE, DEFAULT_RULES, ShareRules(reserve_mib=2048)) == 22524


def test_a_card_that_was_never_seen_idle_has_the_highest_idle_level_that_it_may_have() -> None:
    assert shareable_mib(CARD, NEW_CARD, DEFAULT_RULES, ShareRules()) == 24576 - 512 - 512


@pytest.mark.parametrize(
    ("reading", "sharing"),
    [
        (replace(CARD, memory_total_mib=None), ShareRules()),
        (CARD, ShareRules(max_sharers=0)),
        (CARD, ShareRules(reserve_mib=24576)),
    ],
)
def test_a_card_of_unknown_size_or_whose_owner_does_not_share_it_is_not_shared(
    reading: CardReading, sharing: ShareRules
) -> None:
    assert shareable_mib(reading, IDLE, DEFAULT_RULES, sharing) is None


def test_who_keeps_to_what_they_declared_leaves_nothing_to_tell() -> None:
    assert told(a_process("a", 6144), a_process("b", 1000)) == Excess()
    assert told() == Excess()


def test_a_job_that_uses_more_than_it_declared_is_named_and_that_is_offered_to_nobody() -> None:
    found = told(a_process("a", 9000), a_process("a", 318), a_process("b", 1000))

    assert found == Excess(
        over_mib=3328,
        overusers=(JobNumber(42),),
        text="job 42 uses 9.1GiB of the 6GiB it declared",
    )


def test_several_who_use_too_much_are_named_by_number() -> None:
    found = told(a_process("b", 4200), a_process("a", 6200))

    assert found.overusers == (42, 43)
    assert found.text == (
        "job 42 uses 6.1GiB of the 6GiB it declared; job 43 uses 4.2GiB of the 4GiB it declared"
    )
    assert found.over_mib == 256


def test_who_used_too_much_counts_as_such_until_it_is_clearly_back() -> None:
    near, back = a_process("a", 6000), a_process("a", 5800)

    assert told(near).overusers == ()
    assert told(near, before=(JobNumber(42),)).overusers == (42,)
    assert told(back, before=(JobNumber(42),)).overusers == ()


def test_memory_that_belongs_to_no_process_is_offered_to_nobody() -> None:
    assert told(a_process("a", 1000), used=1004 + 2000).over_mib == 2048
    assert told(a_process("a", 1000), used=1004 + 200).over_mib == 0


def test_where_the_driver_does_not_tell_who_uses_what_the_sum_of_all_has_to_do() -> None:
    unknown = a_process("a", None), a_process("b", None)

    assert told(*unknown, used=9000).over_mib == 0
    assert told(*unknown, used=4 + 6144 + 4096 + 100).over_mib == 256


def test_a_stranger_closes_the_card_for_new_shares() -> None:
    assert told(a_process("a", 1000), a_process(None, 50)).over_mib == 24576


def test_a_whole_card_has_no_excess() -> None:
    whole = replace(A, memory_mib=None)

    assert told(a_process("a", 20000), claims=(whole,)) == Excess()
