"""The controller's folder: who may look into it, and the token that makes its bearer an admin."""

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.paths import Paths

TOKEN_BYTES: Final = 32


class HomeUnusable(EaasError):
    """The controller's folder can't be used; the sentence says why."""

    code = "home_unusable"


def prepare_home(paths: Paths) -> None:
    """Make the folder, its parts and the inbox, with the modes that keep others out.

    Others may pass through to reach the socket, where the kernel names them, and can list nothing.
    """
    try:
        str(paths.home).encode()
    except UnicodeEncodeError as error:
        home = ascii(str(paths.home))
        raise HomeUnusable(f"{home} can't be used: its name is not UTF-8") from error
    try:
        paths.home.mkdir(parents=True, exist_ok=True)
        paths.home.chmod(0o711)
        for folder in (paths.job_logs, paths.job_samples, paths.packs, paths.logs, paths.run):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o700)
        if not paths.inbox.exists():
            paths.inbox.mkdir()
            paths.inbox.chmod(0o1770)
    except OSError as error:
        raise HomeUnusable(f"{paths.home} can't be used: {error.strerror}") from error


def admin_token(path: Path) -> str:
    """Return the admin token, made at the first start and readable by its owner only."""
    if path.exists():
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise HomeUnusable(f"{path} can be read by others; chmod 600 it, or delete it")
        return path.read_text().strip()
    token = "eaas_a_" + secrets.token_urlsafe(TOKEN_BYTES)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(token + "\n")
        file.flush()
        os.fsync(handle)
    return token
