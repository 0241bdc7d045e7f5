"""When a card is free, and what it is otherwise."""

from collections.abc import Sequence

import pytest

from eaas.ids import CardUuid, JobNumber
from eaas.lifecycle import CardState
from eaas_agent.cards.port import CardProcess, CardReading
from eaas_agent.cards.verdict import (
    NEW_CARD,
    CardClaim,
    CardHistory,
    CardVerdict,
    accepted,
    card_state,
    observe,
    released,
)

WHOLE = CardClaim(job=JobNumber(42), attempt=1)
SHARE = CardClaim(job=JobNumber(42), attempt=1, memory_mib=8192)
TRAINING = CardProcess(pid=4242, memory_mib=8120, user="anna", command="python train.py")
DESKTOP = CardProcess(
    pid=900, memory_mib=150, user="gdm", command="/usr/lib/xorg/Xorg :0 -nolisten"
)
OURS = CardProcess(pid=77, memory_mib=900, user="root", command="python", container="c" * 64)


def a_reading(
    used_mib: int | None = 5,
    processes: tuple[CardProcess, ...] | None = (),
    *,
    fault: str | None = None,
    total_mib: int | None = 24576,
    utilization_pct: int | None = 0,
) -> CardReading:
    return CardReading(
        uuid=CardUuid("GPU-a"),
        index=0,
        minor=0,
        model="RTX 3090",
        memory_total_mib=total_mib,
        memory_used_mib=used_mib,
        utilization_pct=utilization_pct,
        temperature_c=40,
        power_w=20.0,
        processes=processes,
        fault=fault,
    )


def ours(process: CardProcess) -> bool:
    return process.container == "c" * 64


def seen(
    *readings: CardReading, history: CardHistory = NEW_CARD, claims: Sequence[CardClaim] = ()
) -> CardHistory:
    """Return the history after one sample a second."""
    for reading in readings:
        at = history.sampled_at + 1
        history = observe(history, reading, claims=claims, ours=ours, sampled_at=at)
    return history


def judged(
    reading: CardReading | None,
    history: CardHistory,
    *claims: CardClaim,
    now: float = 10.0,
    answering: bool = True,
    excluded: str | None = None,
) -> CardVerdict:
    return card_state(
        reading,
        claims=claims,
        history=history,
        ours=ours,
        now=now,
        answering=answering,
        excluded=excluded,
    )


@pytest.mark.parametrize(
    ("reading", "claims", "state", "offered"),
    [
        (a_reading(), (), "free", True),
        (a_reading(used_mib=5 + 256), (), "free", True),
        (a_reading(utilization_pct=100), (), "free", True),
        (a_reading(used_mib=None, total_mib=None), (), "free", True),
        (a_reading(processes=(DESKTOP,), used_mib=155), (), "free", True),
        (a_reading(used_mib=5 + 257), (), "dirty", False),
        (a_reading(processes=(OURS,), used_mib=905), (), "dirty", False),
        (a_reading(processes=(TRAINING,)), (), "foreign", False),
        (a_reading(processes=None), (), "unknown", False),
        (a_reading(fault="card 0 reported Xid 79"), (), "sick", False),
        (a_reading(fault="card 0 reported Xid 79"), (WHOLE,), "sick", False),
        (a_reading(processes=(OURS,), used_mib=905), (WHOLE,), "held", False),
        (a_reading(processes=None), (WHOLE,), "held", False),
        (a_reading(), (SHARE,), "shared", True),
        (a_reading(), (SHARE, SHARE), "shared", True),
        (a_reading(), (SHARE, WHOLE), "held", False),
        (a_reading(used_mib=None, total_mib=None), (SHARE,), "shared", False),
        (a_reading(processes=(TRAINING,)), (SHARE,), "shared", False),
        (None, (), "unknown", False),
        (None, (WHOLE,), "unknown", False),
    ],
)
def test_a_card_that_idled_before_is_judged_by_what_is_on_it_now(
    reading: CardReading | None, claims: tuple[CardClaim, ...], state: CardState, offered: bool
) -> None:
    verdict = judged(reading, seen(a_reading(), a_reading()), *claims)

    assert (verdict.state, verdict.offered) == (state, offered)
    assert (verdict.text is None) == (state in ("free", "held", "shared") and not verdict.foreign)


def test_a_foreign_process_is_named_with_its_user_command_and_memory() -> None:
    verdict = judged(a_reading(8125, (TRAINING,)), seen(a_reading()))

    assert verdict.text == "pid 4242 (anna: python train.py) holds 8120 MiB"
    assert verdict.foreign == (TRAINING,)


def test_a_foreign_process_beside_a_job_is_only_warned_about() -> None:
    verdict = judged(a_reading(9000, (OURS, TRAINING)), seen(a_reading()), WHOLE)

    assert verdict == CardVerdict(
        state=CardState.HELD,
        text="beside its job: pid 4242 (anna: python train.py) holds 8120 MiB",
        foreign=(TRAINING,),
    )


def test_a_desktop_program_that_holds_much_counts_like_any_other() -> None:
    big = CardProcess(pid=900, memory_mib=4000, user="gdm", command="/usr/lib/xorg/Xorg :0")

    assert judged(a_reading(4005, (big,)), seen(a_reading())).state == "foreign"


def test_a_process_without_a_known_command_is_foreign() -> None:
    unseen = CardProcess(pid=5, memory_mib=None)

    verdict = judged(a_reading(5, (unseen,)), seen(a_reading()))

    assert verdict.text == "pid 5 (unknown user: unknown command) holds an unknown amount"


def test_silence_makes_no_card_free() -> None:
    verdict = judged(a_reading(), seen(a_reading()), answering=False)

    assert (verdict.state, verdict.offered) == ("unknown", False)


def test_an_excluded_card_is_held_to_the_end_of_its_job_and_then_not_offered() -> None:
    history = seen(a_reading())

    assert judged(a_reading(), history, WHOLE, excluded="fan is loud").state == "held"
    assert judged(a_reading(), history, SHARE, excluded="fan is loud").offered is False
    assert judged(a_reading(), history, excluded="fan is loud") == CardVerdict(
        state=CardState.EXCLUDED, text="fan is loud"
    )


def test_a_card_is_free_again_after_two_clean_samples() -> None:
    history = seen(a_reading(900, (OURS,)), history=seen(a_reading()), claims=[WHOLE])
    states = []
    for used_mib in (900, 5, 5):
        history = seen(a_reading(used_mib), history=history)
        states.append(judged(a_reading(used_mib), history).state)

    assert states == ["dirty", "dirty", "free"]


def test_an_attempt_too_short_for_a_sample_needs_two_clean_ones_too() -> None:
    history = released(seen(a_reading(), a_reading()))

    once = seen(a_reading(), history=history)
    twice = seen(a_reading(), history=once)

    assert judged(a_reading(), history).text == "it looks free; 2 more clean samples to come"
    assert judged(a_reading(), once).text == "it looks free; 1 more clean sample to come"
    assert [judged(a_reading(), each).state for each in (once, twice)] == ["dirty", "free"]


def test_the_same_sample_counts_once() -> None:
    history = released(seen(a_reading()))

    once = observe(history, a_reading(), claims=(), ours=ours, sampled_at=5.0)
    again = observe(once, a_reading(), claims=(), ours=ours, sampled_at=5.0)

    assert again == once


def test_a_card_that_stays_dirty_for_a_minute_asks_for_a_person() -> None:
    history = seen(a_reading(9000), a_reading(9000), history=seen(a_reading()))

    early, late = (judged(a_reading(9000), history, now=now) for now in (30.0, 75.0))

    assert early.text == "9000 MiB are in use and no process is listed"
    assert late.text == f"{early.text}, for 73 s now: a person should look"


def test_a_card_found_full_at_the_start_is_dirty_until_a_person_accepts_it() -> None:
    history = seen(a_reading(9000), a_reading(9000))
    assert judged(a_reading(9000), history).state == "dirty"

    history = seen(a_reading(9000), a_reading(9000), history=accepted(history, a_reading(9000)))

    assert judged(a_reading(9000), history).state == "free"


def test_a_card_with_a_high_idle_level_is_free_at_it() -> None:
    history = seen(a_reading(700))

    assert judged(a_reading(700), history).state == "free"


def test_the_idle_level_sinks_to_the_least_that_was_seen() -> None:
    history = seen(a_reading(500), a_reading(5))

    assert history.idle_mib == 5
    assert judged(a_reading(500), history).state == "dirty"


def test_a_card_was_sick_and_needs_two_clean_samples() -> None:
    history = seen(a_reading(fault="card 0 is lost"), history=seen(a_reading()))

    states = [judged(a_reading(), seen(*[a_reading()] * n, history=history)).state for n in (1, 2)]

    assert states == ["dirty", "free"]
