"""From a run order to a running shim, or to the reason why not."""

import errno
import os
from typing import Final

import msgspec

from eaas_agent.runtimes.port import RunOrder, StartFailed
from eaas_agent.runtimes.process_attempt import Attempt, Host
from eaas_agent.runtimes.process_folder import AttemptFolder, claim_text, handle_text
from eaas_agent.runtimes.process_launch import Enter, Launch, enter_command
from eaas_agent.runtimes.process_shim import spawn_shim

_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def spawn_attempt(order: RunOrder, folder: AttemptFolder, launch: Launch, host: Host) -> Attempt:
    """Start a shim for the order in its folder; raise ``StartFailed`` when it can't be."""
    started_at, started_monotonic = host.wall(), host.monotonic()
    try:
        claim = claim_text(
            number=order.number,
            epoch=order.epoch,
            started_at=started_at,
            boot_id=host.boot_id,
            log_cap_mib=order.log_cap_mib,
            agent_id=host.agent_id,
            inode=folder.inode(),
        )
        argv = (
            launch.argv if launch.enter is None else _by_entering(folder, launch.argv, launch.enter)
        )
        pid = spawn_shim(
            folder, shell=host.shell, claim=claim, cwd=launch.cwd, argv=argv, env=launch.env
        )
    except (OSError, ValueError) as error:
        raise start_failed(error) from error
    return Attempt(
        folder,
        pid=pid,
        handle=handle_text(pid, started_at, host.boot_id),
        started_at=started_at,
        log_cap_mib=order.log_cap_mib,
        host=host,
        started_monotonic=started_monotonic,
    )


def start_failed(error: OSError | ValueError) -> StartFailed:
    """Return whose fault it is that no process could be made."""
    if isinstance(error, ValueError):
        return StartFailed(
            f"the command or its environment has a text that no process can be given: {error}",
            code="bad_command",
            fault="user",
        )
    if error.errno == errno.E2BIG:
        return StartFailed(
            "the command and its environment are longer than the kernel takes",
            code="bad_command",
            fault="user",
        )
    code = "disk_full" if error.errno in _DISK else "engine_error"
    return StartFailed(f"no process could be started: {error.strerror}", code=code, fault="node")


def _by_entering(folder: AttemptFolder, argv: tuple[str, ...], enter: Enter) -> tuple[str, ...]:
    """Write down what to enter, and give the logs to the user, who may open /dev/stderr anew."""
    path = f"{folder.path}/enter"
    fresh = f"{path}.{os.getpid()}"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(fd, "wb") as file:
        file.write(msgspec.json.encode(enter))
    os.rename(fresh, path)
    if enter.uid is not None and enter.gid is not None:
        for log in (folder.log("stdout"), folder.log("stderr")):
            fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.fchown(fd, enter.uid, enter.gid)
            os.close(fd)
    return enter_command(path, argv)
