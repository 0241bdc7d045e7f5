"""The shim: a few lines of POSIX sh that stand between the agent and a job's process.

It outlives the agent and writes down the exit code, which only a parent can learn. It uses builtins
only, and no text of a user is ever part of a script: commands arrive as positional parameters.

What it does, in order:

1. Takes the claim by creating it (``set -C`` is O_EXCL). Of all shims ever started for the attempt
   one gets it; the others end without running anything, and so does one whose folder is gone.
2. From ``trap`` on it survives the signals that are meant for the job, so that it can write the
   code. The job's own process has the default actions again: a caught signal is reset by exec.
3. Runs the command in a child. The shell's own words ("Terminated") go to /dev/null; file
   descriptor 3 carries the job's stderr past it.
4. Writes the exit code, then kills its process group, itself included: what the main process left
   behind ends with it. A daemon that called setsid escapes.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Final

from eaas_agent.runtimes.process_folder import AttemptFolder

SHIM: Final = """set -C
echo "$$ $2" >"$1/claim" || exit 125
d=$1 w=$3
shift 3
trap : TERM INT HUP
(umask 022; cd "$w" && exec "$@" || exit 126) 2>&3 3>&-
c=$?
echo $c >"$d/exit" && kill -9 0
exit $c"""

_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_DEFAULT_ACTIONS: Final = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGTERM,
    signal.SIGCHLD,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGXFSZ,
)
"""What the agent may ignore (Python ignores SIGPIPE) and a shell could neither trap nor reset."""


def spawn_shim(
    folder: AttemptFolder,
    *,
    shell: str,
    claim: str,
    cwd: str,
    argv: Sequence[str],
    env: Mapping[str, str],
) -> int:
    """Start a shim as the leader of its own session and return its process id.

    Raises OSError for what the kernel refuses (too long a command, a full disk) and ValueError for
    text that no process can be given (a NUL byte).
    """
    return os.posix_spawn(
        shell,
        [shell, "-c", SHIM, "sh", folder.path, claim, cwd, *argv],
        env,
        file_actions=(
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 2),
            (os.POSIX_SPAWN_OPEN, 1, folder.log("stdout"), _APPEND, 0o600),
            (os.POSIX_SPAWN_OPEN, 3, folder.log("stderr"), _APPEND, 0o600),
        ),
        setsid=True,
        setsigmask=(),
        setsigdef=_DEFAULT_ACTIONS,
    )
