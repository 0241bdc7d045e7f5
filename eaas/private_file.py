"""Files with secrets in them: whole or not there at all, and for one user only."""

import os
import stat
from pathlib import Path

from eaas.errors import EaasError


class NotPrivate(EaasError):
    """Others may read what should be a secret."""

    code = "not_private"


def write_private(path: Path, data: bytes) -> None:
    """Put the file there with mode 0600, on the disk when this returns; raise ``OSError``.

    A reader sees the old content or the new one, whatever happens meanwhile.
    """
    temporary = path.with_name(path.name + ".part")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_private(path: Path) -> bytes:
    """Return the content; raise ``NotPrivate`` if others may read it, and ``OSError``."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise NotPrivate(f"{path} holds a secret and can be read by others; chmod 600 it")
        return file.read()
