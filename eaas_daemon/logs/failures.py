"""What can go wrong with kept logs."""

import errno
from typing import Final

from eaas.errors import EaasError

_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class LogHole(EaasError):
    """Bytes between what is stored and what came are missing; the sender has to go back."""

    code = "log_hole"
    http_status = 409

    def __init__(self, stream: str, stored: int, offset: int) -> None:
        self.stored: Final = stored
        super().__init__(f"{stream} is stored up to byte {stored}, so byte {offset} can't follow")


class LogDropped(EaasError):
    """The log was deleted to make room."""

    code = "log_dropped"
    http_status = 410


class LogUnavailable(EaasError):
    """The log can't be written or read now; what is stored stays as it is."""

    code = "log_unavailable"
    http_status = 503


class LogDiskFull(LogUnavailable):
    """The disk takes no more; what is stored stays as it is."""

    code = "disk_full"
    http_status = 507


def log_failure(error: OSError) -> LogUnavailable:
    """Return what the system's error means to those who send or read logs."""
    if error.errno in _FULL:
        return LogDiskFull("the disk that keeps the jobs' logs is full; the log goes on when not")
    return LogUnavailable(f"the log can't be kept or read now: {error.strerror or error}")
