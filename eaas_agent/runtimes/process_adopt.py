"""Taking over an attempt that another process of the agent started."""

from eaas_agent.runtimes.port import AttemptKey
from eaas_agent.runtimes.process_attempt import Attempt, Host
from eaas_agent.runtimes.process_folder import DEFAULT_LOG_CAP_MIB, AttemptFolder, read_handle
from eaas_agent.runtimes.process_watch import (
    has_any_argument,
    has_argument,
    has_process,
    kill_session,
)


def adopt(folder: AttemptFolder, key: AttemptKey, handle: str, host: Host) -> Attempt | None:
    """Return the attempt as its folder shows it, alive or with its end; None: ask again soon.

    Without a claim ``handle`` names the shim, which may still come to it. Where no shim is alive
    the claim is taken first, so that "it never ran" stays true. A claim without its words whose
    shim may be alive is about to be written.
    """
    attempt = _as_written(folder, handle, host)
    if _is_sure(attempt, host):
        return attempt
    buried = folder.bury()
    if not buried and folder.exists() and folder.claim() is None and has_process(folder.path):
        return None
    attempt = _as_written(folder, handle, host)  # it may have come or ended while we looked
    if not _is_sure(attempt, host):
        if _is_provably_ours(attempt, host):
            kill_session(attempt.pid, variable=f"EAAS_JOB_UID={key.uid}")
        attempt.end_unwritten()
    return attempt


def lives(folder: AttemptFolder, pid: int, boot_id: str, host: Host) -> bool:
    """Tell whether this shim of this attempt is alive."""
    return boot_id == host.boot_id and has_argument(pid, folder.path)


def _is_sure(attempt: Attempt, host: Host) -> bool:
    """Tell whether it ended with its word, or lives."""
    if attempt.exit is not None:
        return True
    return lives(attempt.folder, attempt.pid, boot_id=_boot_of(attempt), host=host)


def _is_provably_ours(attempt: Attempt, host: Host) -> bool:
    """Tell whether what is left of its session, if anything, was started from this very folder.

    In a copy of the state folder the claim names processes of the original, which are alive.
    """
    claim = attempt.folder.claim()
    if claim is None or claim.boot_id != host.boot_id or has_any_argument(attempt.pid):
        return False  # who leads the session lives and is another
    try:
        return claim.inode in (None, attempt.folder.inode())
    except OSError:
        return False


def _boot_of(attempt: Attempt) -> str:
    return attempt.handle.rpartition(":")[2]


def _as_written(folder: AttemptFolder, handle: str, host: Host) -> Attempt:
    """Return the attempt by its claim, else by its handle, with its end if it is written."""
    claim = folder.claim()
    if claim is not None:
        handle = claim.handle
    pid, started_at, _ = read_handle(handle) or (0, host.wall(), "")
    attempt = Attempt(
        folder,
        pid=pid,
        handle=handle,
        started_at=started_at,
        log_cap_mib=DEFAULT_LOG_CAP_MIB if claim is None else claim.log_cap_mib,
        host=host,
    )
    if (written := folder.exit()) is not None:
        attempt.end_written(*written)
    return attempt
