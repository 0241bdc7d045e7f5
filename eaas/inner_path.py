"""Paths inside a job's own view of the file system."""

import posixpath
import re
from typing import Final

from eaas.field_checks import wrong
from eaas.spelling import shown

MAX_CHARS: Final = 1024
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def read_inner_path(text: str) -> str:
    """Return the path if it is absolute and says what it means, without ``..`` or ``//``."""
    if not text.startswith("/") or _CONTROL.search(text):
        raise wrong(f"must be an absolute path such as /data, not {shown(text)}")
    if len(text) > MAX_CHARS:
        raise wrong(f"must be {MAX_CHARS} characters at most, not {len(text)}")
    plain = posixpath.normpath("/" + text.lstrip("/"))
    if plain != text:
        raise wrong(f"must be a plain path without .., // or an ending /, not {shown(text)}", plain)
    return text
