"""What became of runs, in a small file each. Nothing is synced: a power cut may cost a curve."""

import logging
import os
import zlib
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from eaas_daemon.core.run_samples import CardRun, RunSamples, Series
from eaas_daemon.logs.files import LogKey, stem_of

log = logging.getLogger(__name__)

MAX_BYTES: Final = 256 << 20
"""What all files together may take; the oldest go first."""
KEPT_SHARE: Final = 0.9
LOOK_EVERY: Final = 1000
"""After so many writes it is looked at how much room the files take."""


class StoredSeries(msgspec.Struct, frozen=True, array_like=True):
    """A series' three columns, each as the machine has it in memory."""

    totals: bytes
    counts: bytes
    most: bytes


class StoredCard(msgspec.Struct, frozen=True, array_like=True):
    uuid: str
    memory_total_mib: int | None
    utilization: StoredSeries
    memory: StoredSeries


class StoredRun(msgspec.Struct, frozen=True):
    begin: float
    every_s: float
    cards: tuple[StoredCard, ...]


def stored(run: RunSamples) -> StoredRun:
    """Return the run as it is to be written; later readings do not change it."""
    cards = tuple(
        StoredCard(
            card.uuid, card.memory_total_mib, _stored(card.utilization), _stored(card.memory)
        )
        for card in run.cards.values()
    )
    return StoredRun(begin=run.begin, every_s=run.every_s, cards=cards)


def _stored(series: Series) -> StoredSeries:
    columns = (series.totals, series.counts, series.most)
    return StoredSeries(*(column.tobytes() for column in columns))


def revived(found: StoredRun) -> RunSamples:
    """Return the run, ready to go on; raise ``ValueError`` when its columns do not fit."""
    run = RunSamples(found.begin, (), every_s=found.every_s)
    for card in found.cards:
        alive = run.cards[card.uuid] = CardRun(card.uuid)
        alive.memory_total_mib = card.memory_total_mib
        _fill(alive.utilization, card.utilization)
        _fill(alive.memory, card.memory)
    return run


def _fill(series: Series, found: StoredSeries) -> None:
    series.totals = array("d", found.totals)
    series.counts = array("I", found.counts)
    series.most = array("i", found.most)
    if not len(series.totals) == len(series.counts) == len(series.most):
        raise ValueError("columns of different lengths")


class RunFiles:
    """All runs' files of one controller. Blocking calls, for a thread."""

    def __init__(
        self, root: Path, *, max_bytes: int = MAX_BYTES, look_every: int = LOOK_EVERY
    ) -> None:
        self.root: Final = root
        self._max_bytes: Final = max_bytes
        self._look_every: Final = look_every
        self._writes = 0

    def write(self, key: LogKey, run: StoredRun) -> None:
        """Let the file be this run. Raises ``OSError``."""
        path = stem_of(self.root, key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_name(f"{path.name}.part")
        with open(os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            file.write(zlib.compress(msgspec.msgpack.encode(run), 1))
        temporary.replace(path)
        self._writes += 1
        if self._writes % self._look_every == 0:
            self.make_room()

    def read(self, key: LogKey) -> RunSamples | None:
        """Return the run; None when there is none, or its file is damaged or can't be read."""
        path = stem_of(self.root, key)
        try:
            content = zlib.decompress(path.read_bytes())
            return revived(msgspec.msgpack.decode(content, type=StoredRun))
        except FileNotFoundError:
            return None
        except (OSError, zlib.error, msgspec.MsgspecError, ValueError) as error:
            log.warning("the samples in %s can't be read: %s", path, error)
            return None

    def drop(self, key: LogKey) -> None:
        """Delete the run's file."""
        try:
            stem_of(self.root, key).unlink(missing_ok=True)
        except OSError as error:
            log.warning("old samples can't be deleted: %s", error)

    def make_room(self) -> None:
        """Delete the oldest files while all together are too large."""
        files = []
        for path in self.root.glob("??/*"):
            with suppress(FileNotFoundError):  # a run's log was dropped just now
                about = path.stat()
                files.append((about.st_mtime, about.st_size, path))
        used = sum(size for _, size, _ in files)
        if used <= self._max_bytes:
            return
        for _, size, path in sorted(files):
            path.unlink(missing_ok=True)
            used -= size
            if used <= self._max_bytes * KEPT_SHARE:
                return
