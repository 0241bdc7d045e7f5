"""Asks the kernel's log whether a container went over its memory limit.

Engines hear of it beside the container's end, and now and then lose that race: such a container
has exit code 137 and no word of why. The kernel writes its line before it kills.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

KERNEL_LOG: Final = Path("/dev/kmsg")
RECORD_BYTES: Final = 8192
"""A read returns one record; a shorter buffer gets an error instead of its beginning."""


def memory_ran_out(container_id: str, log: Path = KERNEL_LOG) -> bool:
    """Tell whether a process was killed because of this container's own limit.

    A machine out of memory as a whole is no fault of the container and does not count. False
    where the log may not be read, and when the line is so old that it was overwritten.
    """
    limit = container_id.encode()
    return any(limit in _memory_group(record) for record in _records(log))


def _memory_group(record: bytes) -> bytes:
    """Return whose limit a kill was for: ``oom-kill:constraint=..,oom_memcg=/docker/ID,..``."""
    if b"oom-kill:" not in record:
        return b""
    return record.partition(b"oom_memcg=")[2].partition(b",")[0]


def _records(log: Path) -> Iterator[bytes]:
    try:
        descriptor = os.open(log, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        yield from _read(descriptor)
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> Iterator[bytes]:
    with suppress(BlockingIOError, PermissionError):
        while True:
            try:
                record = os.read(descriptor, RECORD_BYTES)
            except BrokenPipeError:  # the oldest records were overwritten meanwhile
                continue
            if not record:
                return
            yield record
