"""Images without a registry: a busybox packed from this machine and imported."""

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Final

from aiodocker import Docker

BUSYBOX: Final = Path("/bin/busybox")

FOLDERS: Final = {"bin": 0o755, "sbin": 0o755, "etc": 0o755, "root": 0o700, "tmp": 0o1777}
"""An engine mounts its init into ``sbin``; one that it makes itself may be closed to users."""

PASSWD: Final = "root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1000:worker:/home:/bin/sh\n"
GROUP: Final = "root:x:0:\nworker:x:1000:\n"


def why_no_busybox() -> str | None:
    """Say what is missing for an image; None if this machine can pack one."""
    if not BUSYBOX.exists():
        return f"{BUSYBOX} is missing (Debian's package is busybox-static)"
    if b"/ld-linux" in BUSYBOX.read_bytes()[:4096]:
        return f"{BUSYBOX} needs shared libraries; install busybox-static"
    return None


async def import_busybox(docker: Docker, name: str, *, user: str | None = None) -> str:
    """Import a busybox image under ``repository:tag`` and return its id.

    ``user`` is whom the image runs as when nobody says otherwise, ``"1000:1000"`` for the
    one that is not root's. About 0.1 s; an image of the same name is replaced.
    """
    repository, _, tag = name.rpartition(":")
    settings = ['CMD ["sh"]', "ENV PATH=/bin", *([f"USER {user}"] if user else [])]
    params = {"fromSrc": "-", "repo": repository, "tag": tag, "changes": "\n".join(settings)}
    headers = {"Content-Type": "application/x-tar"}
    async with docker._query(
        "images/create", "POST", params=params, data=io.BytesIO(busybox_tar()), headers=headers
    ) as response:
        await response.read()
    found = await docker.images.inspect(name)
    return str(found["Id"])


def busybox_tar() -> bytes:
    """Return the root file system as a tar: busybox, its applets, a user, and /tmp."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder, mode in FOLDERS.items():
            tar.addfile(_entry(folder, tarfile.DIRTYPE, mode))
        _add_file(tar, "bin/busybox", BUSYBOX.read_bytes(), 0o755)
        _add_file(tar, "etc/passwd", PASSWD.encode(), 0o644)
        _add_file(tar, "etc/group", GROUP.encode(), 0o644)
        for applet in _applets():
            link = _entry(f"bin/{applet}", tarfile.SYMTYPE, 0o777)
            link.linkname = "busybox"
            tar.addfile(link)
    return buffer.getvalue()


def _applets() -> list[str]:
    listed = subprocess.run([BUSYBOX, "--list"], check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split() if name != "busybox"]


def _add_file(tar: tarfile.TarFile, name: str, content: bytes, mode: int) -> None:
    entry = _entry(name, tarfile.REGTYPE, mode)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    return entry
