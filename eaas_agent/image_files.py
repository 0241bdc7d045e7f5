"""Images as files: ``python -m eaas_agent.image_files save FILE IMAGE...`` and ``load FILE``.

``make bundle`` and ``install.sh --offline`` use it, for machines that reach no registry.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode

from aiodocker import DockerError

from eaas.errors import EaasError
from eaas.stdout import say, written
from eaas_agent.runtimes.docker_config import is_reference
from eaas_agent.runtimes.docker_engine import Engine, find_socket
from eaas_agent.runtimes.docker_images import ImageShelf
from eaas_agent.runtimes.docker_pull import PullPatience

Doer = Callable[[Path, BinaryIO, Sequence[str]], Coroutine[None, None, list[str]]]

PIECE_BYTES: Final = 1 << 20
IDLE_S: Final = 600.0
"""An engine is silent for long while it unpacks a large image."""
STDIN: Final = "-"
DONE: Final = {"save": "in the bundle", "load": "here now"}


class NoImages(EaasError):
    """Images could not be saved or loaded; the sentence says why."""

    code = "no_images"


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Save or load, say what was done, and return the exit code."""
    return written(lambda: _run(argv, environ), _said)


def _run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    verb, file, *images = argv
    try:
        socket = find_socket(environ)
        if socket is None:
            raise NoImages("there is no container engine on this machine")
        with _opened(verb, file) as tar:
            names = asyncio.run(DOERS[verb](socket, tar, images))
        for name in names:
            say(f"  the image {name} is {DONE[verb]}")
    except (EaasError, DockerError, OSError) as error:
        return _said(error)
    return 0


def _said(error: Exception) -> int:
    print(f"images: {error}", file=sys.stderr)
    return 1


def _opened(verb: str, file: str) -> BinaryIO:
    if file == STDIN:
        return sys.stdin.buffer
    return Path(file).open("wb") if verb == "save" else Path(file).open("rb")


@asynccontextmanager
async def an_engine(socket: Path) -> AsyncIterator[Engine]:
    """Yield the engine, and close the connection to it."""
    engine = Engine(socket)
    try:
        yield engine
    finally:
        await engine.close()


async def save(socket: Path, tar: BinaryIO, images: Sequence[str]) -> list[str]:
    """Write the images to one tar, pulled first if they are not there; return their names."""
    if wrong := [image for image in images if not is_reference(image)]:
        raise NoImages(f"{wrong[0]!r} can't name an image")
    async with an_engine(socket) as engine:
        shelf = ImageShelf(engine, PullPatience(), time.monotonic)
        for image in images:
            await shelf.provide(image, None, lambda _: None)
        names = urlencode([("names", image) for image in images])
        async with engine.stream("GET", f"images/get?{names}", idle_s=IDLE_S) as response:
            async for piece in response.content.iter_chunked(PIECE_BYTES):
                await asyncio.to_thread(tar.write, piece)
    return list(images)


async def load(socket: Path, tar: BinaryIO, _: Sequence[str] = ()) -> list[str]:
    """Give the engine the images of a tar; return their names."""
    headers = {"Content-Type": "application/x-tar"}
    async with (
        an_engine(socket) as engine,
        engine.stream(
            "POST", "images/load", data=_pieces(tar), headers=headers, idle_s=IDLE_S
        ) as response,
    ):
        return [name async for line in response.content for name in _names(line)]


DOERS: Final[Mapping[str, Doer]] = {"save": save, "load": load}


async def _pieces(tar: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(tar.read, PIECE_BYTES):
        yield piece


def _names(line: bytes) -> list[str]:
    """Return the image that a line of the engine's answer tells of, if it does."""
    event: dict[str, Any] = json.loads(line) if line.strip() else {}
    if words := event.get("error"):
        raise NoImages(str(words))
    head, loaded, name = str(event.get("stream", "")).strip().partition("Loaded image")
    return [name.partition(":")[2].strip()] if loaded and not head else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
