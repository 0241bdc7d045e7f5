"""``job cp``: files out of a job's workspace, while it runs and after its end."""

import asyncio
import os
import posixpath
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import click

from eaas.cli.arrays import one_job
from eaas.cli.group import Command
from eaas.cli.kinds import JobPath
from eaas.cli.line import Line, asks
from eaas.client import Client
from eaas.errors import EaasError
from eaas.unpack import unpack


class NoPlace(EaasError):
    """Nothing can be written where the files should go."""

    code = "no_place"


@click.command(cls=Command)
@click.argument("source", type=JobPath(), metavar="ID:PATH")
@click.argument("dest", type=click.Path())
@asks
async def cp(line: Line, client: Client, source: tuple[str, str], dest: str) -> None:
    """Copy files out of a job's workspace.

    PATH is a file or a folder, relative to /workspace. It lands in DEST when that is a folder,
    else under the name DEST; - writes a tar to stdout.
    """
    name, path = source
    pieces = client.download((await one_job(client, name, "cp")).id, path)
    if dest == "-":
        async for piece in pieces:
            line.out.bytes(piece)
        return
    left_out = await _unpacked(pieces, *_target(path, Path(dest)))
    if left_out:
        names = ", ".join(map(str, left_out))
        line.out.remark(f"left out, as they lead out of the folder or are no files: {names}")


def _target(path: str, dest: Path) -> tuple[Path, str | None]:
    """Return where to unpack and under which name, as ``cp -r`` would.

    The tar's names begin with the path's last part; those of the whole workspace do not.
    """
    if dest.is_dir() or posixpath.normpath(path) in (".", "/"):
        return dest, None
    return dest.parent, dest.name


async def _unpacked(pieces: AsyncIterator[bytes], dest: Path, rename: str | None) -> list[Path]:
    """Unpack the tar while it arrives: a thread reads from the pipe that this end fills."""
    first = await anext(pieces, b"")  # a refusal comes here, before anything is made
    read_end, write_end = os.pipe()
    unpacking = asyncio.create_task(
        asyncio.to_thread(_place, os.fdopen(read_end, "rb"), dest, rename)
    )
    broke: EaasError | None = None
    try:
        await _fill(write_end, first, pieces)
    except EaasError as error:
        broke = error
    finally:
        os.close(write_end)  # on an interrupt too, or the thread would read for ever
    if broke is None:
        return await unpacking
    with suppress(EaasError):
        await unpacking  # it can only say that the tar is cut short
    raise broke


async def _fill(pipe: int, first: bytes, pieces: AsyncIterator[bytes]) -> None:
    try:
        await _write(pipe, first)
        async for piece in pieces:
            await _write(pipe, piece)
    except BrokenPipeError:
        pass  # the unpacking end gave up, and says why


async def _write(pipe: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[await asyncio.to_thread(os.write, pipe, rest) :]


def _place(source: IO[bytes], dest: Path, rename: str | None) -> list[Path]:
    try:
        return unpack(source, dest, rename=rename)
    except OSError as error:
        place = error.filename or dest
        raise NoPlace(f"can't write {place}: {(error.strerror or '').lower()}") from error
    finally:
        source.close()
