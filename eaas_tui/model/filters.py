"""What people type after ``/``: words, ``user:bob``, ``state:run,wait``, ``gpu:>=4``, ``!not``,
``~regex``. A job is shown when every part agrees.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.lifecycle import ENDED, JobState
from eaas.spelling import nearest
from eaas.views import JobView
from eaas_tui.model.format import gpus, image
from eaas_tui.model.patterns import BadPattern, compiled

Test = Callable[[JobView], bool]

STATE_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        **{state.lower(): frozenset({str(state)}) for state in JobState},
        "waiting": frozenset({str(JobState.PENDING)}),
        "ended": frozenset(map(str, ENDED)),
    }
)
"""Any beginning of these may be typed after ``state:``."""

MAX_REMEMBERED: Final = 100_000
"""Texts a pattern has been tried on; looking again costs much less than trying again."""

_TOKEN: Final = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_NUMBER: Final = re.compile(r"(>=|<=|!=|>|<|=)?([+-]?[0-9]{1,9})?")
_COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = MappingProxyType(
    {
        ">=": operator.ge,
        "<=": operator.le,
        ">": operator.gt,
        "<": operator.lt,
        "=": operator.eq,
        "!=": operator.ne,
    }
)
_BEGINNINGS: Final[Mapping[str, Callable[[JobView], tuple[str, ...]]]] = MappingProxyType(
    {
        "user": lambda job: (job.user,),
        "pool": lambda job: (job.pool,),
        "queue": lambda job: (job.queue, f"{job.pool}/{job.queue}"),
        "node": lambda job: (job.node or "",),
    }
)
_CONTAINED: Final[Mapping[str, Callable[[JobView], str]]] = MappingProxyType(
    {
        "name": lambda job: job.name or "",
        "image": image,
        "reason": lambda job: "" if job.reason is None else job.reason.text,
    }
)
_NUMBERS: Final[Mapping[str, Callable[[JobView], int]]] = MappingProxyType(
    {
        "gpu": gpus,
        "gpus": gpus,
        "priority": lambda job: job.priority,
        "attempt": lambda job: job.attempt,
        "array": lambda job: job.array or 0,
    }
)
KEYS: Final = (*_BEGINNINGS, "state", "label", *_CONTAINED, *_NUMBERS)
"""What may stand before a colon."""


class FilterMistake(msgspec.Struct, frozen=True):
    """What is wrong with a filter, in a sentence."""

    text: str


class _Wrong(EaasError):
    """A part that means nothing."""


class Filter:
    """A filter that was understood."""

    def __init__(self, text: str, words: Iterable[str], others: Iterable[str], tests: list[Test]):
        self.text: Final = text
        self._words: Final = tuple(words)
        self._no_words: Final = tuple(others)
        self._tests: Final = tuple(tests)

    def __bool__(self) -> bool:
        """Tell whether it could leave anything out."""
        return bool(self._words or self._no_words or self._tests)

    def matches(self, job: JobView) -> bool:
        """Tell whether the job is to be shown."""
        for test in self._tests:
            if not test(job):
                return False
        if not (self._words or self._no_words):
            return True
        text = "\n".join(texts(job)).lower()
        for word in self._words:
            if word not in text:
                return False
        for word in self._no_words:  # noqa: SIM110 - half the time of all(), for every job
            if word in text:
                return False
        return True

    def select(self, jobs: Iterable[JobView]) -> list[JobView]:
        """Return the jobs to be shown, in the order they come."""
        return [job for job in jobs if self.matches(job)] if self else list(jobs)


def parse(text: str) -> Filter | FilterMistake:
    """Return the filter, or what is wrong with it.

    A part that is still being typed (``user:``, ``gpu:>=``, ``!``) leaves nothing out.
    """
    words: list[str] = []
    no_words: list[str] = []
    tests: list[Test] = []
    try:
        for token in _tokens(text):
            negated = token.startswith("!")
            word = token[negated:]
            test = _test(word)
            if test is not None:
                tests.append(_not(test) if negated else test)
            elif word and not _is_unfinished(word):
                (no_words if negated else words).append(word.lower())
    except (_Wrong, BadPattern) as error:
        return FilterMistake(error.sentence)
    return Filter(text, words, no_words, tests)


def texts(job: JobView) -> tuple[str, ...]:
    """Return what words are looked for in."""
    return (
        job.ref,
        job.name or "",
        job.user,
        f"{job.pool}/{job.queue}",
        job.state,
        job.node or "",
        "" if job.reason is None else job.reason.text,
        image(job),
    )


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        yield match[0].replace('"', "")


def _is_unfinished(word: str) -> bool:
    key, colon, value = word.partition(":")
    return word == "~" or (bool(colon) and key.lower() in KEYS and value.strip("<>=!,") == "")


def _test(word: str) -> Test | None:
    """Return the test a part stands for; None for a plain word or an unfinished part."""
    if word.startswith("~"):
        return _regex(word[1:]) if word != "~" else None
    key, colon, value = word.partition(":")
    key = key.lower()
    if not colon or _is_unfinished(word):
        return None
    if key == "state":
        return _in_states(value)
    if key == "label":
        return _labelled(value)
    if (number := _NUMBERS.get(key)) is not None:
        return _compared(key, number, value)
    wanted = tuple(part for part in value.lower().split(",") if part)
    if (some := _BEGINNINGS.get(key)) is not None:
        return lambda job: any(name.lower().startswith(wanted) for name in some(job))
    if (one := _CONTAINED.get(key)) is not None:
        return lambda job: _holds(one(job).lower(), wanted)
    if key.isalpha() and (meant := nearest(key, KEYS)) is not None:
        raise _Wrong(f"{key}: is nothing to filter by; did you mean {meant}:?")
    return None


def _not(test: Test) -> Test:
    return lambda job: not test(job)


def _holds(text: str, wanted: tuple[str, ...]) -> bool:
    return any(part in text for part in wanted)


def _regex(pattern: str) -> Test:
    search = compiled(pattern)
    seen: dict[str, bool] = {}

    def test(job: JobView) -> bool:
        """Most texts come again and again: users, images, reasons."""
        for text in texts(job):
            if (known := seen.get(text)) is None:
                known = seen[text] = search(text)
            if known:
                break
        else:
            known = False
        if len(seen) > MAX_REMEMBERED:
            seen.clear()
        return known

    return test


def _in_states(value: str) -> Test:
    states: set[str] = set()
    for part in filter(None, value.lower().split(",")):
        meant = [names for word, names in STATE_WORDS.items() if word.startswith(part)]
        if not meant:
            known = ", ".join(word for word in STATE_WORDS)
            raise _Wrong(f"state:{part} is no state; there are {known}")
        states.update(*meant)
    return lambda job: job.state in states


def _compared(key: str, number: Callable[[JobView], int], value: str) -> Test:
    match = _NUMBER.fullmatch(value)
    if match is None or match[2] is None:
        raise _Wrong(f"{key}:{value} is not a number to compare with; write {key}:>=4")
    compare, limit = _COMPARE[match[1] or "="], int(match[2])
    return lambda job: compare(number(job), limit)


def _labelled(value: str) -> Test:
    """A label is named in full; of its value the beginning will do."""
    key, equals, wanted = value.partition("=")

    def test(job: JobView) -> bool:
        labels = job.spec.get("labels")
        if not isinstance(labels, dict) or key not in labels:
            return False
        return not equals or str(labels[key]).lower().startswith(wanted.lower())

    return test
