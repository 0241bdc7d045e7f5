"""The image ``mini-eaas/hello:1``: a first job that needs no registry."""

import asyncio
import io
import struct
import tarfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from aiodocker import DockerError

from eaas_agent.runtimes.docker_engine import Engine
from eaas_agent.runtimes.port import Phase

HELLO_IMAGE: Final = "mini-eaas/hello:1"
FALLBACK: Final = "busybox:stable"
PLACES: Final = (Path("/bin/busybox"), Path("/usr/bin/busybox"))
GREETING: Final = 'CMD ["/bin/sh", "-c", "echo hello from Mini EaaS"]'
PASSWD: Final = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"

FOLDERS: Final = {"bin": 0o755, "sbin": 0o755, "etc": 0o755, "root": 0o700, "tmp": 0o1777}
"""``sbin`` is where engines mount the init; made by them it may be closed to all but root."""

_NEEDS_AN_INTERPRETER: Final = 3
"""PT_INTERP: the program header that names ld-linux, absent from a static executable."""


async def provide_hello(
    engine: Engine,
    progress: Callable[[Phase], None],
    fetch: Callable[[str], Awaitable[str]],
    places: Sequence[Path] = PLACES,
) -> None:
    """Make the image from this machine's static busybox, else from the registry's.

    ``fetch`` pulls an image and returns the name under which it then lies here.
    """
    busybox = next((place for place in places if is_static_elf(place)), None)
    if busybox is None:
        fetched = await fetch(FALLBACK)
        await engine.call("POST", f"images/{fetched}/tag", params=_name(("repo", "tag")))
        return
    progress(Phase(name="pulling"))
    root = await asyncio.to_thread(root_tar, busybox, await _applets(busybox))
    params = {"fromSrc": "-", "changes": GREETING, **_name(("repo", "tag"))}
    headers = {"Content-Type": "application/x-tar"}
    async with engine.stream(
        "POST", "images/create", params=params, data=io.BytesIO(root), headers=headers, idle_s=60
    ) as response:
        words = await response.text()
    if '"error"' in words:
        raise DockerError(500, words)


def is_static_elf(path: Path) -> bool:
    """Tell whether the file is a 64-bit executable that needs no shared libraries."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    if head[:5] != b"\x7fELF\x02" or len(head) < 64:
        return False
    order = "<" if head[5] == 1 else ">"
    (table,) = struct.unpack_from(f"{order}Q", head, 32)
    size, count = struct.unpack_from(f"{order}HH", head, 54)
    if table + size * count > len(head):
        return False
    kinds = [struct.unpack_from(f"{order}I", head, table + size * i)[0] for i in range(count)]
    return _NEEDS_AN_INTERPRETER not in kinds


def root_tar(busybox: Path, applets: Sequence[str]) -> bytes:
    """Return the image's root file system; the same busybox gives the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder, mode in FOLDERS.items():
            _add(tar, folder, tarfile.DIRTYPE, mode)
        _add(tar, "etc/passwd", tarfile.REGTYPE, 0o644, PASSWD)
        _add(tar, "bin/busybox", tarfile.REGTYPE, 0o755, busybox.read_bytes())
        for applet in applets:
            _add(tar, f"bin/{applet}", tarfile.SYMTYPE, 0o777, link="busybox")
    return buffer.getvalue()


def _add(
    tar: tarfile.TarFile, name: str, kind: bytes, mode: int, data: bytes = b"", link: str = ""
) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.size, entry.linkname = kind, mode, len(data), link
    tar.addfile(entry, io.BytesIO(data))


async def _applets(busybox: Path) -> list[str]:
    lister = await asyncio.create_subprocess_exec(
        busybox, "--list", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    listed, _ = await lister.communicate()
    return [name for name in listed.decode().split() if name != "busybox" and "/" not in name]


def _name(keys: tuple[str, str]) -> dict[str, str]:
    repository, _, tag = HELLO_IMAGE.rpartition(":")
    return dict(zip(keys, (repository, tag), strict=True))
