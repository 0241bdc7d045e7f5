"""The pool in one line, and in words how the console stands with its controller."""

import re
from collections import Counter
from operator import attrgetter
from typing import Final, Literal

import msgspec
from rich.cells import cell_len

from eaas.lifecycle import PLACED, CardState, JobState, NodeState
from eaas_tui.model.card_cells import state_word
from eaas_tui.model.columns import padded
from eaas_tui.model.job_set import once
from eaas_tui.model.picture import Link, Picture

Tone = Literal["plain", "strong", "muted", "good", "busy", "warn", "bad"]

NAME: Final = "Mini EaaS"
STATE: Final = attrgetter("state")
IN_USE: Final = frozenset({CardState.HELD, CardState.SHARED})
_ASIDE: Final = re.compile(r" at /| at http| \(|; ")
_CLAUSE: Final = re.compile(rf"{_ASIDE.pattern}|: |, | since ")
TROUBLED: Final = (CardState.FOREIGN, CardState.DIRTY, CardState.SICK)


class Part(msgspec.Struct, frozen=True):
    """A piece of a line: what it says, and in which tone."""

    text: str
    tone: Tone = "plain"


def pool_parts(picture: Picture) -> list[Part]:
    """Return the pool's counts, what matters most first: a narrow line leaves out the last ones."""
    jobs = once(picture.jobs, "states", lambda: Counter(map(STATE, picture.jobs.values())))
    running = sum(jobs[state] for state in PLACED)
    parts = [
        Part(NAME, "strong"),
        Part(f"RUN {running}", "busy" if running else "muted"),
        Part(f"WAIT {jobs[JobState.PENDING]}", "plain" if jobs[JobState.PENDING] else "muted"),
        _cards(picture),
        *_troubles(picture),
        *_load(picture),
    ]
    if failed := jobs[JobState.FAILED] + jobs[JobState.TIMED_OUT]:
        parts.append(Part(f"FAIL {failed}", "bad"))
    return parts


def link_part(link: Link, now: float) -> Part:
    """Return how it stands with the controller, and since when if it does not answer."""
    why = f": {link.text}" if link.text else ""
    since = f" since {short_time(now - link.since)}" if link.since else ""
    match link.state:
        case "live":
            return Part("* live", "good")
        case "connecting":
            return Part("... connecting", "muted")
        case "replay":
            return Part("> replay", "warn")
        case "away":
            return Part(f"! away{since}, trying again{why}", "bad")
        case "refused":
            return Part(f"! refused{why}", "bad")


def essence(text: str) -> str:
    """Return what matters most of a sentence: all before its place, its cause and its advice."""
    return _ASIDE.split(text, maxsplit=1)[0]


def shortened(text: str, cells: int) -> str:
    """Return the sentence in so many cells at most: whole clauses of it if they say enough."""
    if cell_len(text) <= cells:
        return text
    clauses = [text[: found.start()] for found in _CLAUSE.finditer(text)]
    fitting = [clause for clause in clauses if cell_len(clause) <= cells]
    if fitting and cell_len(fitting[-1]) >= cells // 2:
        return fitting[-1]
    return padded(text, cells)


def short_time(seconds: float) -> str:
    """Return a duration as ``12s``, ``3m``, ``2h05m`` or ``4d``; never negative."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d"


def _cards(picture: Picture) -> Part:
    cards = picture.cards()
    used = sum(card.state in IN_USE for card in cards)
    return Part(f"GPU {used}/{len(cards)} held", "plain" if cards else "muted")


def _troubles(picture: Picture) -> list[Part]:
    """Return what is out of order, counted by its word."""
    cards = Counter(map(state_word, picture.cards()))
    offline = sum(node.state == NodeState.OFFLINE for node in picture.nodes.values())
    parts = [Part(f"! {cards[state]} {state}", "warn") for state in TROUBLED if cards[state]]
    return [Part(f"! {offline} offline", "bad"), *parts] if offline else parts


def _load(picture: Picture) -> list[Part]:
    """Return the mean load of the cards in use, as far as they are measured."""
    loads = [
        card.utilization_pct
        for card in picture.cards()
        if card.state in IN_USE and card.utilization_pct is not None
    ]
    return [Part(f"util {round(sum(loads) / len(loads))}%")] if loads else []
