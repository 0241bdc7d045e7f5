"""The workspaces of this node: one folder a job, filled once, kept a while, deleted with a word."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.unpack import unpack
from eaas_agent.packs import Fetch
from eaas_agent.remove_tree import remove_tree

ROOM_NEEDED_MIB: Final = 1024
"""With less free, workspaces of ended jobs go, the earliest end first."""


class NoWorkspace(EaasError):
    """There is no workspace of this job here."""

    code = "no_workspace"


class Workspaces:
    """The folder that holds them all."""

    def __init__(self, root: Path, fetch: Fetch) -> None:
        """``fetch`` brings a pack by its hash, as an open file."""
        self.root: Final = root
        self._fetch = fetch
        self._making: dict[str, asyncio.Lock] = {}

    def open(self, *, passable: bool = True) -> None:
        """Make the folder and clear away what an interrupted filling left.

        ``passable`` lets other users of this host through to workspaces of their own. Containers
        need no way, and one whose user has only a name has to leave its workspace open to all.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o711 if passable else 0o700)
        for name in os.listdir(self.root):
            if name.startswith("."):
                remove_tree(self.root / name)

    def path(self, uid: str) -> Path:
        """Return where the job's workspace is or would be."""
        return self.root / uid

    async def prepare(self, uid: str, pack: str | None) -> Path:
        """Return the job's workspace, made and filled from the pack if it is not there yet.

        A second attempt finds what the first one left: the pack is not unpacked again.
        """
        path = self.path(uid)
        if pack is None:
            with contextlib.suppress(FileExistsError):
                path.mkdir(0o700)
            return path
        lock = self._making.setdefault(uid, asyncio.Lock())
        try:
            async with lock:
                if not path.exists():
                    await self._fill(path, pack)
        finally:
            self._making.pop(uid, None)
        return path

    async def _fill(self, path: Path, pack: str) -> None:
        """Unpack beside the final place and move there in one step."""
        part = path.with_name(f".{path.name}.part")
        await asyncio.to_thread(remove_tree, part)
        async with self._fetch(pack) as file:
            await asyncio.to_thread(unpack, file, part)
        part.chmod(0o700)
        part.rename(path)

    async def delete(self, uid: str) -> None:
        """Delete the job's workspace; nothing happens when there is none."""
        path = self.path(uid)
        gone = path.with_name(f".{uid}.gone")
        with contextlib.suppress(FileNotFoundError):
            path.rename(gone)
        await asyncio.to_thread(remove_tree, gone)

    def free_mib(self) -> int | None:
        """Return the room left where they lie."""
        try:
            found = os.statvfs(self.root)
        except OSError:
            return None
        return found.f_bavail * found.f_frsize >> 20
