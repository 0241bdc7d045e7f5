"""Whether a card may be offered, and if not, why: from a reading, the claims on it and its past.

Pure. A card is free only when the driver shows it free: no process on it that matters, its memory
near the idle level. Utilization never decides; some drivers show 100 % with nothing running.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from eaas.ids import JobNumber
from eaas.lifecycle import CardState
from eaas_agent.cards.port import CardProcess, CardReading

Ours = Callable[[CardProcess], bool]
"""Tells whether a process belongs to a live attempt of this agent, by its container or its pid."""


class CardClaim(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt's right to a card, or to a share of its memory."""

    job: JobNumber
    attempt: int
    memory_mib: int | None = None
    """None for the whole card."""
    uid: str = ""
    """The job's."""


class CardRules(msgspec.Struct, frozen=True, kw_only=True):
    """Where the lines are drawn; a node's owner may move them."""

    slack_mib: int = 256
    """Memory over the idle level that still counts as idle."""
    idle_at_most_mib: int = 512
    """What the idle level is taken for at most, however a card is found at the start."""
    clean_samples: int = 2
    """Clean samples in a row before a used card is offered again."""
    alarm_after_s: float = 60.0
    """Then a card that stays dirty says so louder."""
    ignored_commands: tuple[str, ...] = (
        "Xorg",
        "Xwayland",
        "gnome-shell",
        "kwin_wayland",
        "kwin_x11",
        "sddm-greeter",
    )
    """Programs of a desktop that don't make a card foreign, by the name of their file."""
    ignored_up_to_mib: int = 300
    """An ignored program that holds more than this counts like any other."""


class CardHistory(msgspec.Struct, frozen=True, kw_only=True):
    """What must be kept of a card from sample to sample."""

    idle_mib: int | None = None
    """The least memory seen in use while nobody was on the card."""
    clean_needed: int = 0
    """Clean samples still to come before the card is offered."""
    unclean_since: float | None = None
    """When it was first seen not free without a claim on it; Unix seconds."""
    sampled_at: float = 0.0
    """Of the last sample that was counted."""


class CardVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A card's state and why, in a sentence."""

    state: CardState
    text: str | None = None
    offered: bool = False
    """Whether an attempt (on a shared card: a share) may be placed on it now."""
    foreign: tuple[CardProcess, ...] = ()
    """Processes from outside the pool, also beside a claim, where they are only warned about."""


DEFAULT_RULES: Final = CardRules()
NEW_CARD: Final = CardHistory()


def observe(
    history: CardHistory,
    reading: CardReading,
    *,
    claims: Sequence[CardClaim],
    ours: Ours,
    sampled_at: float,
    rules: CardRules = DEFAULT_RULES,
) -> CardHistory:
    """Return the history with one more sample in it; the same sample again changes nothing."""
    if sampled_at <= history.sampled_at:
        return history
    if claims:
        return msgspec.structs.replace(
            history, clean_needed=rules.clean_samples, unclean_since=None, sampled_at=sampled_at
        )
    idle_mib = _learn_idle(history.idle_mib, reading, rules)
    clean = why_unclean(reading, idle_mib=idle_mib, ours=ours, rules=rules) is None
    needed = max(0, history.clean_needed - 1) if clean else rules.clean_samples
    return CardHistory(
        idle_mib=idle_mib,
        clean_needed=needed,
        unclean_since=None if needed == 0 else history.unclean_since or sampled_at,
        sampled_at=sampled_at,
    )


def released(history: CardHistory, rules: CardRules = DEFAULT_RULES) -> CardHistory:
    """Return the history after a claim ended, also one so short that no sample saw it."""
    return msgspec.structs.replace(history, clean_needed=rules.clean_samples)


def accepted(history: CardHistory, reading: CardReading) -> CardHistory:
    """Return the history after a person said that the memory now in use is the idle level."""
    return msgspec.structs.replace(history, idle_mib=reading.memory_used_mib)


def card_state(
    reading: CardReading | None,
    *,
    claims: Sequence[CardClaim],
    history: CardHistory,
    ours: Ours,
    now: float,
    answering: bool = True,
    excluded: str | None = None,
    rules: CardRules = DEFAULT_RULES,
) -> CardVerdict:
    """Return the card's state, the first that holds, with its reason.

    ``answering`` is False when the picture as a whole is ``unknown``; silence makes no card free.
    ``excluded`` is a person's reason; an excluded card is still ``held`` while a job runs on it.
    """
    if reading is None or not answering:
        return CardVerdict(
            state=CardState.UNKNOWN,
            text="the driver does not answer, so nothing is known of this card",
        )
    if excluded is not None and not claims:
        return CardVerdict(state=CardState.EXCLUDED, text=excluded)
    if reading.fault is not None:
        return CardVerdict(state=CardState.SICK, text=reading.fault)
    foreign = foreign_processes(reading, ours, rules)
    if claims:
        return _claimed(reading, claims, foreign, open_to_more=excluded is None)
    unclean = why_unclean(reading, idle_mib=history.idle_mib, ours=ours, rules=rules)
    if unclean is not None:
        return _with_alarm(unclean, history, now, rules)
    if history.clean_needed:
        samples = "sample" if history.clean_needed == 1 else "samples"
        text = f"it looks free; {history.clean_needed} more clean {samples} to come"
        return CardVerdict(state=CardState.DIRTY, text=text)
    return CardVerdict(state=CardState.FREE, offered=True)


def why_unclean(
    reading: CardReading, *, idle_mib: int | None, ours: Ours, rules: CardRules
) -> CardVerdict | None:
    """Return why an unclaimed card is not free in this sample alone, or None if it is."""
    if reading.fault is not None:
        return CardVerdict(state=CardState.SICK, text=reading.fault)
    if reading.processes is None:
        return CardVerdict(
            state=CardState.UNKNOWN, text="the driver does not say which processes are on this card"
        )
    if foreign := foreign_processes(reading, ours, rules):
        return CardVerdict(state=CardState.FOREIGN, text=_foreign_text(foreign), foreign=foreign)
    if leftover := [process for process in reading.processes if ours(process)]:
        pids = ", ".join(str(process.pid) for process in leftover)
        return CardVerdict(
            state=CardState.DIRTY, text=f"a job that was not given this card is on it (pid {pids})"
        )
    resting = resting_mib(reading, rules)
    if resting is not None and resting > (idle_mib or 0) + rules.slack_mib:
        return CardVerdict(
            state=CardState.DIRTY, text=f"{resting} MiB are in use and no process is listed"
        )
    return None


def foreign_processes(
    reading: CardReading, ours: Ours, rules: CardRules
) -> tuple[CardProcess, ...]:
    """Return the processes that belong to nobody in the pool and are not to be ignored."""
    return tuple(
        process
        for process in reading.processes or ()
        if not ours(process) and not is_ignored(process, rules)
    )


def is_ignored(process: CardProcess, rules: CardRules) -> bool:
    """Tell whether a process is a small one of a desktop, which doesn't make a card foreign."""
    words = (process.command or "").split(maxsplit=1)
    small = process.memory_mib is None or process.memory_mib <= rules.ignored_up_to_mib
    return small and bool(words) and words[0].rpartition("/")[2] in rules.ignored_commands


def resting_mib(reading: CardReading, rules: CardRules) -> int | None:
    """Return the memory in use without what ignored processes hold; None when not told."""
    if reading.memory_used_mib is None:
        return None
    ignored = (
        process.memory_mib or 0 for process in reading.processes or () if is_ignored(process, rules)
    )
    return max(0, reading.memory_used_mib - sum(ignored))


def _learn_idle(idle_mib: int | None, reading: CardReading, rules: CardRules) -> int | None:
    """Return the idle level, lowered by a sample in which nobody who counts is on the card."""
    resting = resting_mib(reading, rules)
    alone = reading.processes is not None and all(
        is_ignored(process, rules) for process in reading.processes
    )
    if resting is None or not alone:
        return idle_mib
    return min(resting, rules.idle_at_most_mib if idle_mib is None else idle_mib)


def _claimed(
    reading: CardReading,
    claims: Sequence[CardClaim],
    foreign: tuple[CardProcess, ...],
    *,
    open_to_more: bool,
) -> CardVerdict:
    """Return the verdict on a claimed card; a share can only join where the memory is known."""
    shared = all(claim.memory_mib is not None for claim in claims)
    return CardVerdict(
        state=CardState.SHARED if shared else CardState.HELD,
        text=f"beside its {_jobs(claims)}: {_foreign_text(foreign)}" if foreign else None,
        offered=shared and open_to_more and not foreign and reading.memory_total_mib is not None,
        foreign=foreign,
    )


def _jobs(claims: Sequence[CardClaim]) -> str:
    return "job" if len(claims) == 1 else "jobs"


def _with_alarm(
    unclean: CardVerdict, history: CardHistory, now: float, rules: CardRules
) -> CardVerdict:
    since = history.unclean_since
    if unclean.state != CardState.DIRTY or since is None or now - since < rules.alarm_after_s:
        return unclean
    text = f"{unclean.text}, for {now - since:.0f} s now: a person should look"
    return msgspec.structs.replace(unclean, text=text)


def _foreign_text(foreign: Sequence[CardProcess]) -> str:
    def one(process: CardProcess) -> str:
        memory = "an unknown amount" if process.memory_mib is None else f"{process.memory_mib} MiB"
        who = f"{process.user or 'unknown user'}: {process.command or 'unknown command'}"
        return f"pid {process.pid} ({who}) holds {memory}"

    return "; ".join(one(process) for process in foreign)
