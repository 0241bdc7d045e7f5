"""One client of the stream: what still waits to be sent to it."""

import asyncio
from collections import deque
from typing import Final

from eaas_daemon.api.frames import Viewer

MAX_WAITING_FRAMES: Final = 2000
MAX_WAITING_BYTES: Final = 16 << 20
"""Beyond either a client is too slow: what waits is thrown away, and a snapshot comes instead."""


class Subscriber:
    """A bounded queue of encoded frames. Adding never waits."""

    def __init__(self, viewer: Viewer, *, pieces: int = 0) -> None:
        self.viewer: Final = viewer
        self.pieces: Final = pieces > 0
        """Whether it understands a snapshot in pieces, and readings of several nodes in one."""
        self.numbers: Final = pieces > 1
        """Whether it understands numbers of cards without the cards."""
        self.follows = False
        """False while it waits for a snapshot; frames before that are not for it."""
        self.fell_behind = False
        self.ended = False
        self._frames: deque[tuple[bytes, int]] = deque()
        """Each with what it counts against the limit: nothing for a part of a snapshot."""
        self._bytes = 0
        self._wake = asyncio.Event()

    def begin(self, snapshot: bytes) -> None:
        """Let it start over with a snapshot, however long that is."""
        self._drop()
        self.follows, self.fell_behind = True, False
        self.go_on(snapshot)

    def go_on(self, piece: bytes) -> None:
        """Queue more of the snapshot, unless this client was given up meanwhile."""
        if self.follows:
            self._add(piece, counted=0)

    def offer(self, frame: bytes) -> None:
        """Queue the frame, or give up on this client until it reads again."""
        if not self.follows:
            return
        too_many = len(self._frames) >= MAX_WAITING_FRAMES
        if too_many or self._bytes + len(frame) > max(MAX_WAITING_BYTES, len(frame)):
            self._drop()
            self.follows, self.fell_behind = False, True
            self._wake.set()
            return
        self._add(frame, counted=len(frame))

    def end(self) -> None:
        """Let its connection be closed."""
        self.ended = True
        self._wake.set()

    async def wait(self) -> None:
        """Return when there is a frame, or it fell behind."""
        await self._wake.wait()
        self._wake.clear()

    def take(self) -> bytes | None:
        """Return the next frame, if there is one."""
        if not self._frames:
            return None
        frame, counted = self._frames.popleft()
        self._bytes -= counted
        return frame

    def _add(self, frame: bytes, *, counted: int) -> None:
        self._frames.append((frame, counted))
        self._bytes += counted
        self._wake.set()

    def _drop(self) -> None:
        self._frames.clear()
        self._bytes = 0
