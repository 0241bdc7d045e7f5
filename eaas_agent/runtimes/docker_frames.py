"""Turns the engine's multiplexed log into two byte streams with exact offsets. Pure."""

from collections.abc import Iterator
from struct import Struct
from typing import Final

from eaas_agent.runtimes.port import LogBytes, Stream

HEADER: Final = Struct(">BxxxL")
"""The stream's number, and the length of what follows."""
STDERR: Final = 2
BEFORE_STAMP: Final = HEADER.size
BEFORE_TEXT: Final = BEFORE_STAMP + len("2026-12-01T00:38:41.850560787Z ")
"""Every frame's body begins with such a stamp and one space."""
FULL: Final = 16384
"""A frame this long is a part of a longer line; its other parts carry the same stamp."""
PIECE: Final = 256 * 1024


class Track:
    """One stream: how far it was read in this pass, and how far it was handed out ever."""

    def __init__(self, stream: Stream, handed: int) -> None:
        self.stream: Final = stream
        self.stamp = b""
        """Of the newest frame."""
        self.stamp_at = 0
        """Where the first frame with that stamp begins."""
        self.stepped_back = False
        """A frame was older than the one before: stamps can't be used to resume."""
        self._handed = handed
        self._read = 0
        self._resume_at = b""
        self._in_long_line = False
        self._parts: list[bytes] = []
        self._parts_at = 0

    def rewind(self, *, to_stamp: bool) -> None:
        """Expect the log again: from its start, or from a time not after ``newest()``."""
        self._resume_at = self.newest() if to_stamp else b""
        self.stamp_at = self.stamp_at if self._resume_at else 0
        self._read = self._parts_at = self.stamp_at
        self._parts.clear()
        self._in_long_line = False
        self.stamp = b""

    def newest(self) -> bytes:
        """Return the newest stamp read in this pass or the one before; empty for none."""
        return self.stamp or self._resume_at

    def take(self, stamp: bytes, data: bytes) -> None:
        """Add a frame's bytes, and the newline that 20.10 forgets after a long line."""
        if stamp != self.stamp:
            if stamp < self._resume_at:
                return
            if stamp < self.stamp:
                self.stepped_back = True
            if self._in_long_line:
                self.close_long_line()
            self.stamp, self.stamp_at = stamp, self._read
        size = len(data)
        self._parts.append(data)
        self._read += size
        if size >= FULL or self._in_long_line:
            self._in_long_line = data[-1:] != b"\n"

    def drain(self) -> Iterator[LogBytes]:
        """Yield what was not handed out before, in pieces of a quarter MiB at most."""
        data, begin = b"".join(self._parts), self._parts_at
        self._parts.clear()
        self._parts_at = self._read
        fresh = data[max(0, self._handed - begin) :]
        for at in range(0, len(fresh), PIECE):
            piece = LogBytes(self.stream, self._handed, fresh[at : at + PIECE])
            self._handed += len(piece.data)
            yield piece

    def close_long_line(self) -> None:
        """Add the newline that ended the last line, on an engine that forgets it.

        Nothing tells whether the program wrote it; nearly all do.
        """
        if self._in_long_line:
            self._parts.append(b"\n")
            self._read += 1
            self._in_long_line = False


class Tape:
    """Both streams of one attempt's log, fed with the engine's bytes as they come."""

    def __init__(self, *, stdout_from: int, stderr_from: int) -> None:
        self._tracks = (Track("stdout", stdout_from), Track("stderr", stderr_from))
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[LogBytes]:
        """Yield what the bytes complete; a cut frame waits for its rest."""
        data = self._rest + chunk if self._rest else chunk
        out, err = self._tracks
        # This loop sees every line of every job: it has no call that it can do without.
        at, size, header = 0, len(data), HEADER.unpack_from
        while size - at >= HEADER.size:
            stream, length = header(data, at)
            end = at + BEFORE_STAMP + length
            if end > size:
                break
            text = at + BEFORE_TEXT
            (err if stream == STDERR else out).take(
                data[at + BEFORE_STAMP : text - 1], data[text:end]
            )
            at = end
        self._rest = data[at:]
        yield from out.drain()
        yield from err.drain()

    def rewind(self, *, to_stamp: bool) -> bytes:
        """Expect the log again; return the stamp to begin a second before, empty for the start.

        Streams are stamped by two writers, so their frames lie up to some milliseconds out
        of order: hence the second. Within one stream stamps only grow, unless a clock was
        set back; then, or without ``to_stamp``, only the whole log will do.
        """
        self._rest = b""
        usable = to_stamp and not any(track.stepped_back for track in self._tracks)
        stamps = [track.newest() for track in self._tracks if track.newest()] if usable else []
        for track in self._tracks:
            track.rewind(to_stamp=bool(stamps))
        return min(stamps, default=b"")

    def finish(self, *, drops_newlines: bool) -> Iterator[LogBytes]:
        """Yield what only the end of the log makes certain."""
        for track in self._tracks:
            if drops_newlines:
                track.close_long_line()
            yield from track.drain()
