"""Words as people mistype them: the nearest right one, and a safe way to quote the wrong one."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

SHOWN_CHARS: Final = 40
"""How much of a wrong value a sentence repeats."""

_COMPARED_CHARS: Final = 40


def nearest(
    word: str, candidates: Iterable[str], *, aliases: Mapping[str, str] | None = None
) -> str | None:
    """Return the candidate a person most likely meant, or None if nothing is near.

    Case, dashes and blanks don't count. ``aliases`` are words of neighbouring tools
    (``volumes``) with what they are called here (``mounts``); an exact one wins.
    """
    plain = _plain(word[:_COMPARED_CHARS])
    by_plain = {_plain(candidate): candidate for candidate in candidates}
    if plain in by_plain:
        return by_plain[plain]
    if aliases and plain in aliases:
        return aliases[plain]
    found = difflib.get_close_matches(plain, by_plain, n=1, cutoff=0.65)
    return by_plain[found[0]] if found else None


def shown(value: object) -> str:
    """Return the value the way a sentence may repeat it: quoted, escaped, and short."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return repr(value if len(value) <= SHOWN_CHARS else value[: SHOWN_CHARS - 1] + "…")
    text = str(value)
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


def _plain(word: str) -> str:
    return word.strip().lower().replace("-", "_").replace(" ", "_")
