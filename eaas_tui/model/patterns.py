"""Regular expressions that people type, kept from taking for ever.

Python's engine tries every way to split a text between repeats. A repeat inside a repeat makes that
grow without bound, so it is refused; each further repeat multiplies the work by the length of the
text, so the more there are, the less of a text is looked at.
"""

import re
import warnings
from collections.abc import Callable
from typing import Final

from eaas.errors import EaasError

MAX_PATTERN: Final = 200
MAX_CHOICES: Final = 10
"""Of ``|``, ``?`` and short repeats together: each may double the work. A long repeat counts as
three.
"""
LOOKED_AT: Final = (256, 128, 64)
"""Characters of a text that are looked at with no, one and two repeats."""
SHORT: Final = 4
"""A repeat of at most so many counts as a choice."""

_POINTLESS: Final = re.compile(r"^\.\*(?![?+*{])|(?<!\\)\.\*$")
"""A search finds what stands in the middle without these."""
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{(\d+)\}|\{(\d*),(\d*)\})[?+]?")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]?", re.DOTALL)
_GROUP: Final = re.compile(r"\((?:\?(?:P<\w+>|<?[=!]|[:>]|[aims-]+[:)]))?")


class BadPattern(EaasError):
    """The pattern is not one, or could take for ever."""

    code = "bad_pattern"


def compiled(pattern: str) -> Callable[[str], bool]:
    """Return a search for the pattern, upper and lower case alike; raise ``BadPattern``."""
    if len(pattern) > MAX_PATTERN:
        raise BadPattern(f"a pattern may have {MAX_PATTERN} characters at most")
    trimmed = _POINTLESS.sub("", pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = re.compile(trimmed, re.IGNORECASE).search
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"~{pattern} is not a regular expression: {error}") from error
    cut = LOOKED_AT[_Scan(trimmed).repeats()]
    return lambda text: search(text, 0, cut) is not None


class _Scan:
    """Walks over a pattern that compiles, and counts what makes it slow."""

    def __init__(self, pattern: str) -> None:
        self._pattern: Final = pattern
        self._repeats = self._choices = 0
        self._varies = [False]
        """For every open group: whether it can match in more than one way."""

    def repeats(self) -> int:
        """Return how many repeats there are; raise ``BadPattern`` if it could take for ever."""
        at, atom_varies = 0, False
        while at < len(self._pattern):
            at, atom_varies = self._token(at, atom_varies)
        if self._repeats >= len(LOOKED_AT):
            raise BadPattern(f"~{self._pattern} has too many repeats: use several words instead")
        if self._choices + 3 * self._repeats > MAX_CHOICES:
            raise BadPattern(f"~{self._pattern} has too many choices: use several words instead")
        return self._repeats

    def _token(self, at: int, atom_varies: bool) -> tuple[int, bool]:
        """Take one token; return where the next begins, and whether this one varies."""
        character = self._pattern[at]
        if (quantifier := _QUANTIFIER.match(self._pattern, at)) is not None:
            self._quantify(quantifier, atom_varies)
            return quantifier.end(), atom_varies
        if character == "\\":
            if self._pattern[at + 1 : at + 2] in "123456789":
                raise BadPattern("a pattern may not refer back to a group")
            return at + 2, False
        if character == "[":
            found = _CLASS.match(self._pattern, at)
            return (at + 1 if found is None else found.end()), False
        if character == "(":
            return self._open(at), False
        if character == ")":
            return at + 1, self._close()
        if character == "|":
            self._vary(choice=True)
        return at + 1, False

    def _open(self, at: int) -> int:
        group = _GROUP.match(self._pattern, at)
        if group is None or (group[0] == "(" and self._pattern[at + 1 : at + 2] == "?"):
            raise BadPattern("a pattern may not have conditions, comments or references")
        if not group[0].endswith(")"):
            self._varies.append(False)
        return group.end()

    def _close(self) -> bool:
        varies = self._varies.pop() if len(self._varies) > 1 else False
        self._varies[-1] = self._varies[-1] or varies
        return varies

    def _quantify(self, quantifier: "re.Match[str]", atom_varies: bool) -> None:
        least, most = _bounds(quantifier)
        if most > 1 and atom_varies:
            raise BadPattern(
                f"~{self._pattern} has a repeat of something that varies, which could take for ever"
            )
        if least != most:
            self._vary(choice=most <= SHORT)

    def _vary(self, *, choice: bool) -> None:
        self._varies[-1] = True
        if choice:
            self._choices += 1
        else:
            self._repeats += 1


def _bounds(quantifier: "re.Match[str]") -> tuple[int, float]:
    """Return how often at least and at most."""
    sign = quantifier[0][0]
    if sign != "{":
        return (1 if sign == "+" else 0), (1 if sign == "?" else float("inf"))
    if quantifier[1] is not None:
        return int(quantifier[1]), int(quantifier[1])
    return int(quantifier[2] or 0), int(quantifier[3]) if quantifier[3] else float("inf")
