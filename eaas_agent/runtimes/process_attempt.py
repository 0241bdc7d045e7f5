"""One attempt as a process: from a living shim to the evidence of how it ended."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Final

import msgspec

from eaas_agent.runtimes.port import Exit
from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_watch import (
    EndWatch,
    group_is_gone,
    has_other_child,
    reap,
    signal_group,
)

_KILLED: Final = 128 + signal.SIGKILL
_FIRST_LOOK_S: Final = 0.01
_LAST_LOOK_S: Final = 1.0
_NO_DESCRIPTORS_S: Final = 1.0
_BEGINNING_S: Final = 1.0


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """What every attempt of one runtime has in common: the machine, the agent, the clocks."""

    agent_id: str
    boot_id: str
    shell: str
    path: str
    """The PATH of a job that brings none."""
    wall: Callable[[], float]
    """Unix seconds."""
    monotonic: Callable[[], float]
    """Seconds that never jump."""


class Attempt:
    """An attempt that runs or ran, and everyone who waits for its end."""

    def __init__(
        self,
        folder: AttemptFolder,
        *,
        pid: int,
        handle: str,
        started_at: float,
        log_cap_mib: int,
        host: Host,
        started_monotonic: float | None = None,
    ) -> None:
        """``started_monotonic``: None for an adopted one; how long it ran is then unknown."""
        self.folder: Final = folder
        self.pid: Final = pid
        self.handle: Final = handle
        self.started_at: Final = started_at
        self.log_cap_bytes: Final = log_cap_mib << 20
        self.exit: Exit | None = None
        self.waiting: Final[set[asyncio.Future[None]]] = set()
        """Woken at the end; others may wake them earlier."""
        self._host = host
        self._started_monotonic = started_monotonic
        self._stopping = False

    async def ended(self) -> Exit:
        """Return how it ended, once it has."""
        while self.exit is None:
            future = asyncio.get_running_loop().create_future()
            self.waiting.add(future)
            try:
                await future
            finally:
                self.waiting.discard(future)
        return self.exit

    def watch(self, ends: EndWatch) -> None:
        """Follow the living shim to its end; out of file descriptors, try again a little later."""
        try:
            found = ends.add(self.pid, self._shim_ended)
        except OSError:
            asyncio.get_running_loop().call_later(_NO_DESCRIPTORS_S, self.watch, ends)
            return
        if not found:
            self._shim_ended()

    def end_unwritten(self, status: int | None = None) -> None:
        """Settle an end that left no exit file; ``status`` is the shim's if we are its parent."""
        claim = self.folder.claim()
        if status is not None and os.WIFEXITED(status) and claim is not None:
            self._end_as(os.WEXITSTATUS(status))  # the disk was too full for the file
        elif self.folder.was_killed():
            self._end_as(_KILLED)
        elif self._stopping:
            self._end_as(128 + signal.SIGTERM)
        elif claim is None:
            self._end_as(
                None, lost="it never ran: nothing could be written into its folder, or it is gone"
            )
        elif claim.boot_id != self._host.boot_id:
            self._end_as(None, lost="the machine was restarted while it ran")
        else:
            self._end_as(
                _KILLED, lost="its shim was killed from outside, so its exit code is not known"
            )

    def end_written(self, exit_code: int, finished_at: float) -> None:
        """Settle an end as the exit file tells it."""
        self._end_as(exit_code, at=finished_at)

    def is_beginning(self) -> bool:
        """Tell whether the shim is still on its way to the job's program; false after a second.

        A TERM at this moment can be lost between the shim, which ignores it, and its child.
        """
        if self.exit is not None or self._started_monotonic is None:
            return False
        age_s = self._host.monotonic() - self._started_monotonic
        return age_s < _BEGINNING_S and not has_other_child(self.pid, self.folder.path)

    def ask_to_stop(self) -> None:
        """Send TERM to the whole group; CONT, too, because a stopped process answers nothing."""
        if self.exit is None:
            self._stopping = True
            signal_group(self.pid, signal.SIGTERM, signal.SIGCONT)

    def kill(self) -> None:
        """Send KILL to the whole group, the shim included, after noting that it was us."""
        if self.exit is None:
            self._stopping = True
            self.folder.mark_killed()
            signal_group(self.pid, signal.SIGKILL)

    def _shim_ended(self) -> None:
        written = self.folder.exit()
        if written is None:
            signal_group(
                self.pid, signal.SIGKILL
            )  # before the reaping: until then the number is ours
        status = reap(self.pid)
        if written is not None:
            self.end_written(*written)
        else:
            self._await_the_group(status, _FIRST_LOOK_S)

    def _await_the_group(self, status: int | None, look_s: float) -> None:
        """Call it ended only when nothing of it can run: one inside a driver outlives its KILL."""
        if group_is_gone(self.pid):
            self.end_unwritten(status)
            return
        later = min(look_s * 2, _LAST_LOOK_S)
        asyncio.get_running_loop().call_later(look_s, self._await_the_group, status, later)

    def _end_as(
        self, exit_code: int | None, *, at: float | None = None, lost: str | None = None
    ) -> None:
        finished_at = self._host.wall() if at is None else at
        ran_for_s = None
        if self._started_monotonic is not None:
            ran_for_s = self._host.monotonic() - self._started_monotonic
        self.exit = Exit(
            exit_code=exit_code,
            finished_at=max(finished_at, self.started_at),  # file times are coarser than the clock
            ran_for_s=ran_for_s,
            lost=lost is not None,
            text=lost,
        )
        for future in self.waiting:
            if not future.done():
                future.set_result(None)
