"""What the system tells of watched folders: that something happened, and what came by rename.

Both are only hints: a file server tells nothing, and a queue may overflow. The truth is a look.
"""

import asyncio
import ctypes
import logging
import os
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from watchfiles import awatch

from eaas_daemon.intake.folder import Identity
from eaas_daemon.intake.names import is_meant

log = logging.getLogger(__name__)

AGAIN_S: Final = 5.0
COLLECT_MS: Final = 50
"""How long hints are collected before a look."""
LISTEN_EVERY_MS: Final = 100

_IN_MOVED_TO: Final = 0x80
_IN_IGNORED: Final = 0x8000
_IN_ONLYDIR: Final = 0x01000000
_EVENT: Final = struct.Struct("iIII")
_READ_BYTES: Final = 1 << 16


class Renames:
    """Names that came into folders by rename, as Linux tells.

    ``watchfiles`` tells of a file that was made in a folder and of one that was moved there with
    the same word, and only the second is whole. Where this can't be had, a file takes longer.
    """

    def __init__(self, heard: Callable[[Path, str], None]) -> None:
        self._heard = heard
        self._paths: dict[int, Path] = {}
        self._libc = ctypes.CDLL(None)
        self._descriptor = -1

    def start(self, paths: Iterable[Path]) -> None:
        """Listen, to these folders to begin with."""
        try:
            self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except AttributeError:
            log.debug("this system does not tell what came by rename")
        if self._descriptor >= 0:
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
        for path in paths:
            self.watch(path)

    def close(self) -> None:
        """Stop."""
        if self._descriptor >= 0:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def watch(self, path: Path) -> None:
        """Listen to what is at this path now."""
        if self._descriptor >= 0:
            mask = ctypes.c_uint32(_IN_MOVED_TO | _IN_ONLYDIR)
            watched = self._libc.inotify_add_watch(self._descriptor, os.fsencode(path), mask)
            if watched >= 0:
                self._paths[watched] = path

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            watched, mask, _, size = _EVENT.unpack_from(data, at)
            at += _EVENT.size + size
            name = os.fsdecode(data[at - size : at].rstrip(b"\0"))
            path = self._paths.get(watched)
            if mask & _IN_IGNORED:
                self._paths.pop(watched, None)
            elif path is not None and is_meant(name):
                self._heard(path, name)


class Hints:
    """Listens to all folders that are there."""

    def __init__(self, wake: Callable[[Path], None]) -> None:
        self._wake = wake
        self._there: dict[Path, Identity] = {}
        self._renamed: dict[Path, set[str]] = {}
        self._changed = asyncio.Event()
        self._renames = Renames(self._came)

    def found(self, path: Path, identity: Identity) -> None:
        """Listen to the folder that is at this path now."""
        if self._there.get(path) != identity:
            self._there[path] = identity
            self._renames.watch(path)
            self._changed.set()

    def lost(self, path: Path) -> None:
        """Listen no more: there is no folder, or it can't be used."""
        self._renamed.pop(path, None)
        if self._there.pop(path, None) is not None:
            self._changed.set()

    def renamed(self, path: Path) -> set[str]:
        """Return which files came by rename since this was last asked."""
        return self._renamed.pop(path, set())

    def _came(self, path: Path, name: str) -> None:
        if path in self._there:
            self._renamed.setdefault(path, set()).add(name)
            self._wake(path)

    async def work(self) -> None:
        """Listen until cancelled."""
        self._renames.start(self._there)
        try:
            while True:
                self._changed.clear()
                try:
                    await self._listen(tuple(self._there))
                except Exception as error:
                    log.debug("the system tells nothing of watched folders: %s", error)
                    await asyncio.sleep(AGAIN_S)
        finally:
            self._renames.close()

    async def _listen(self, paths: tuple[Path, ...]) -> None:
        """Wake folders until there are others."""
        if not paths:
            await self._changed.wait()
            return
        async for changes in awatch(
            *paths,
            watch_filter=None,
            debounce=COLLECT_MS,
            step=LISTEN_EVERY_MS,
            stop_event=self._changed,
            recursive=False,
            ignore_permission_denied=True,
        ):
            happened = {os.path.dirname(changed) for _, changed in changes}
            for path in paths:
                if str(path) in happened:
                    self._wake(path)
