"""Text from jobs and people, made harmless for a terminal.

A job's log, name or label may carry escape sequences that move the cursor, set the
window's title or answer back as typed input, and Unicode that reorders or hides what is
read. Everything that reaches a terminal passes through here first.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

_CSI: Final = r"[0-?]*[ -/]*[@-~]?"
_STRING: Final = r"[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
"""Up to the terminator; an unfinished one ends at its line, so it can't swallow a log."""

_SEQUENCE: Final = (
    r"(?:"
    rf"(?<=\x1b)(?:\[{_CSI}|[\]PX^_]{_STRING}|[ -/]*[0-~]?)"
    rf"|(?<=\x9b){_CSI}"
    rf"|(?<=[\x90\x98\x9d-\x9f]){_STRING}"  # DCS, SOS, OSC, PM, APC as one C1 character
    r"|(?<=\r)\n"
    r")?"
)
"""What belongs to the character before. Beginning with one class makes the search fast."""

_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ABOVE_SPACE: Final = rf"\x7f-\x9f\ud800-\udfff{_INVISIBLE}"

UNSAFE: Final = rf"[\x00-\x1f{_ABOVE_SPACE}]"
"""Matches one character that a terminal obeys or a reader can't see."""

_ONE_LINE: Final = rf"{UNSAFE}{_SEQUENCE}"
_LINES: Final = rf"[\x00-\x09\x0b-\x1f{_ABOVE_SPACE}]{_SEQUENCE}"
_LOG: Final = rf"[\x00-\x08\x0b-\x1f{_ABOVE_SPACE}]{_SEQUENCE}"
_compiled: Final = cache(re.compile)
"""Compiles each when it is first needed: most programs need one, and none at their start."""
_SGR: Final = re.compile(r"\x1b\[(?:[0-9]{1,3}(?:[;:][0-9]{0,3}){0,31})?m")

_BLANKS: Final[Mapping[str, str]] = dict.fromkeys(
    ("\r", "\n", "\r\n", "\t", "\v", "\f", "\x85", "\u2028", "\u2029"), " "
)
_BLANKS_BUT_LINES: Final[Mapping[str, str]] = {**_BLANKS, "\r\n": "\n"}


def safe_text(text: str, *, keep_newlines: bool = False) -> str:
    """Return the text without anything a terminal obeys or a reader can't see.

    Escape sequences go whole, and so do control, bidi and invisible characters and lone
    surrogates. Tabs and line ends become one blank each; ``keep_newlines`` keeps ``\\n``.
    """
    if text.isascii() and text.isprintable():
        return text
    if keep_newlines:
        return _compiled(_LINES).sub(_line_kept, text)
    return _compiled(_ONE_LINE).sub(_blank, text)


def safe_log(log: bytes | str, *, keep_sgr: bool = False) -> str:
    """Return a piece of a log as harmless text, with its lines and tabs.

    Bytes are read as UTF-8; what isn't becomes U+FFFD. A lone carriage return becomes a
    blank, so a progress bar can neither overwrite a line nor invent one. ``keep_sgr``
    keeps well-formed colour sequences, for a reader that closes them again.
    """
    text = log.decode("utf-8", "replace") if isinstance(log, bytes) else log
    replace: Callable[[re.Match[str]], str] = _colour_kept if keep_sgr else _line_kept
    return _compiled(_LOG).sub(replace, text)


def _blank(match: re.Match[str]) -> str:
    return _BLANKS.get(match[0], "")


def _line_kept(match: re.Match[str]) -> str:
    return _BLANKS_BUT_LINES.get(match[0], "")


def _colour_kept(match: re.Match[str]) -> str:
    token = match[0]
    return token if _SGR.fullmatch(token) else _BLANKS_BUT_LINES.get(token, "")
