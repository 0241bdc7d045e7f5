"""How much room all logs take, and whose turn it is when that is too much."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from eaas_daemon.logs.files import LogKey, remove_data, stem_of

_FILE: Final = re.compile(r"([0-9a-f-]{36})-(\d{1,10})\.(stdout|stderr|order|end|dropped)")


class Budget:
    """Counts bytes; knows the ended logs, oldest first. Logs still being written are never due."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self._ended: dict[LogKey, int] = {}

    def grew(self, count: int) -> None:
        """Count bytes that were written."""
        self.used_bytes += count

    def ended(self, key: LogKey, size_bytes: int) -> None:
        """Note that a log of that size is complete; it is the youngest of these."""
        if size_bytes:
            self._ended[key] = size_bytes

    def take_due(self) -> tuple[LogKey, int] | None:
        """Take the oldest ended log off the books, with its size, if there is too much."""
        if self.used_bytes <= self.limit_bytes or not self._ended:
            return None
        key = next(iter(self._ended))
        size = self._ended.pop(key)
        self.used_bytes -= size
        return key, size


class _Found(NamedTuple):
    key: LogKey
    ending: str
    size: int
    changed_at: float


def scan(root: Path, limit_bytes: int) -> Budget:
    """Count what lies on the disk; finish droppings that were cut short, delete half markers."""
    sizes: dict[LogKey, int] = {}
    ends: dict[LogKey, float] = {}
    for found in _files(root):
        if found.ending == "dropped":
            remove_data(stem_of(root, found.key))
            sizes.pop(found.key, None)
        elif found.ending == "end":
            ends[found.key] = found.changed_at
        else:
            sizes[found.key] = sizes.get(found.key, 0) + found.size
    budget = Budget(limit_bytes)
    budget.grew(sum(sizes.values()))
    for key in sorted(ends, key=ends.__getitem__):
        budget.ended(key, sizes.get(key, 0))
    return budget


def _files(root: Path) -> Iterator[_Found]:
    """Yield the files of all logs, a log's ``.dropped`` after its data."""
    for folder in sorted(path for path in root.glob("??") if path.is_dir()):
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name.endswith(".dropped"))
        for entry in listed:
            if match := _FILE.fullmatch(entry.name):
                uid, attempt, ending = match.groups()
                about = entry.stat()
                yield _Found(LogKey(uid, int(attempt)), ending, about.st_size, about.st_mtime)
            elif entry.name.endswith(".part"):
                Path(entry.path).unlink(missing_ok=True)
