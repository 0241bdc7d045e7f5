"""Disks for tests that run as root: one in memory, and one whose server never answers."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mount(*words: str) -> None:
    """Mount; where this machine lets nobody do so the test is skipped."""
    done = subprocess.run(["mount", *words], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"needs to mount: {done.stderr.strip()}")


def unmount(path: Path) -> None:
    """Take away what was mounted there last."""
    subprocess.run(["umount", "-l", str(path)], check=True)


@contextmanager
def a_disk(path: Path) -> Iterator[None]:
    """Have a small disk in memory mounted there."""
    mount("-t", "tmpfs", "-o", "size=1m,mode=755", "none", str(path))
    try:
        yield
    finally:
        unmount(path)


@contextmanager
def a_silent_disk(path: Path) -> Iterator[None]:
    """Have a disk mounted there that never answers, as of a server that is off.

    Whoever asks it for something waits until the block ends.
    """
    try:
        server = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        pytest.skip(f"needs /dev/fuse: {error.strerror}")
    try:
        options = f"fd={server},rootmode=40755,user_id=0,group_id=0"
        done = subprocess.run(
            ["mount", "-i", "-t", "fuse", "-o", options, "none", str(path)],
            capture_output=True,
            text=True,
            pass_fds=[server],
        )
        if done.returncode != 0:
            pytest.skip(f"needs to mount: {done.stderr.strip()}")
        try:
            yield
        finally:
            unmount(path)
    finally:
        os.close(server)
