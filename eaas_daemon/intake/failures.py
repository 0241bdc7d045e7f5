"""What can go wrong with a folder as a whole, as against with one file in it."""

import errno
from pathlib import Path
from typing import Final

from eaas.errors import EaasError

_WHOLE_FOLDER: Final = frozenset(
    {
        *(errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE, errno.ENOTCONN),
        *(errno.ETIMEDOUT, errno.EHOSTDOWN, errno.ENODEV, errno.EMFILE, errno.ENFILE),
    }
)


class FolderUnusable(EaasError):
    """The folder can't be watched now; the sentence says why."""

    code = "folder_unusable"


def concerns_all(error: OSError) -> bool:
    """Tell whether what went wrong with one file would with every other of its folder."""
    return error.errno in _WHOLE_FOLDER


def unusable(path: Path, error: OSError) -> FolderUnusable:
    """Return what to raise for the folder."""
    return FolderUnusable(f"{path} can't be used: {error.strerror}")
