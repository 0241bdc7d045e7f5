"""Jobs as plain processes of this machine: no image, no isolation, next to no cost.

Every attempt has a folder and a shim (``process_shim``) that outlives the agent. Whatever is
killed, and whenever: an attempt runs at most once, because its claim can be taken once; and its
exit code is on disk before anyone can see that it ended.

Three things are weaker than in a container: a process that calls setsid or setpgid escapes the stop
and the clearing up; nothing is isolated or limited; and a job that opens /dev/stdout anew truncates
its own log.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import Final

from eaas.ids import JobUid
from eaas_agent.runtimes.port import (
    AttemptKey,
    CachedImage,
    Confirm,
    Exit,
    Found,
    LogBytes,
    Phase,
    RunOrder,
    RuntimeState,
    Started,
    StartFailed,
    confirmed,
)
from eaas_agent.runtimes.process_adopt import adopt, lives
from eaas_agent.runtimes.process_attempt import Attempt, Host
from eaas_agent.runtimes.process_folder import AttemptFolder, Claim
from eaas_agent.runtimes.process_identity import identity_of
from eaas_agent.runtimes.process_launch import STANDARD_PATH, Launch, plan_launch
from eaas_agent.runtimes.process_log import BOUND_S, LogTicker, bound_logs, follow
from eaas_agent.runtimes.process_spawn import spawn_attempt, start_failed
from eaas_agent.runtimes.process_watch import EndWatch, boot_id, child_runs, reap
from eaas_agent.runtimes.workspace_access import prepare_workspace

NOTES: Final = (
    "processes are not isolated: they see this machine's files, network and cards",
    "cpu and memory limits are not enforced on processes",
)
_CLAIM_LOOK_S: Final = 0.01
_BEGIN_LOOK_S: Final = 0.002


class ProcessRuntime:
    """Runs attempts as processes. One per agent and state directory."""

    def __init__(
        self,
        state_dir: Path,
        agent_id: str,
        *,
        shell: str = "/bin/sh",
        path: str = STANDARD_PATH,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``agent_id`` has no spaces; attempts of another agent in the same folder are left alone.

        ``path`` is the PATH of jobs that bring none.
        """
        self._root: Final = f"{state_dir.absolute()}/attempts"
        self._host: Final = Host(
            agent_id=agent_id,
            boot_id=boot_id(),
            shell=shell,
            path=path,
            wall=wall,
            monotonic=monotonic,
        )
        self._ends: Final = EndWatch()
        self._ticker: Final = LogTicker()
        self._attempts: Final[dict[AttemptKey, Attempt]] = {}
        self._bound_timer: asyncio.TimerHandle | None = None

    async def probe(self) -> RuntimeState:
        """Return whether jobs can run now."""
        return RuntimeState(
            kind="process", engine=None, fault=self._fault(), notes=NOTES, can_isolate_cards=False
        )

    async def start(
        self, order: RunOrder, progress: Callable[[Phase], None], confirm: Confirm = confirmed
    ) -> Started:
        """Start the attempt, or adopt it when it exists.

        Takes no time worth a phase, nor one in which what was prepared could change.
        """
        known = self._attempts.get(order.key)
        if known is None:
            folder = self._folder(order.key)
            await self._give_workspace(order)
            known = self._start_fresh(order, folder) or await self._start_contested(order, folder)
        return Started(handle=known.handle, started_at=known.started_at)

    async def wait(self, key: AttemptKey, handle: str) -> Exit:
        """Return how it ended, at once if it has."""
        return await (await self._known(key, handle)).ended()

    async def stop(self, key: AttemptKey, handle: str, grace_s: float) -> None:
        """Send TERM to the process group, wait the grace, then KILL."""
        attempt = await self._known(key, handle)
        while attempt.is_beginning():  # noqa: ASYNC110
            await asyncio.sleep(_BEGIN_LOOK_S)
        if attempt.exit is not None:
            return
        attempt.ask_to_stop()
        try:
            async with asyncio.timeout(grace_s):
                await attempt.ended()
        except TimeoutError:
            attempt.kill()

    async def log(
        self, key: AttemptKey, handle: str, *, stdout_from: int, stderr_from: int
    ) -> AsyncGenerator[LogBytes, None]:
        """Yield the log from these offsets on, live, until the end and up to each stream's cap."""
        attempt = await self._known(key, handle)
        pieces = follow(attempt, self._ticker, stdout_from=stdout_from, stderr_from=stderr_from)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def find(self) -> Sequence[Found]:
        """List the attempts that were claimed here, running or ended.

        One whose shim has not come to its claim yet is not listed: ``start`` makes sure that it
        runs once, ``remove`` that it never does.
        """
        found = []
        for name in self._folder_names():
            uid, _, number = name.rpartition("-")
            if not uid or not number.isdecimal():
                continue
            claim = AttemptFolder(f"{self._root}/{name}").claim()
            if claim is not None and claim.agent_id == self._host.agent_id:
                found.append(self._found(AttemptKey(JobUid(uid), int(number)), claim))
        return found

    async def remove(self, key: AttemptKey, handle: str) -> None:
        """Delete the attempt's folder; one that runs is killed, one that never ran never will."""
        folder = self._folder(key)
        if key not in self._attempts and not folder.exists():
            return
        attempt = await self._known(key, handle)
        attempt.kill()
        del self._attempts[key]
        folder.delete()

    async def images(self) -> Sequence[CachedImage]:
        """Return nothing: processes have no images."""
        return ()

    async def close(self) -> None:
        """Stop watching. Attempts run on."""
        self._ends.close()
        self._ticker.close()
        if self._bound_timer is not None:
            self._bound_timer.cancel()

    def _fault(self) -> str | None:
        try:
            os.close(os.pidfd_open(os.getpid()))
        except OSError:
            return "this kernel has no pidfd_open; processes need Linux 5.3 or newer"
        if not os.access(self._host.shell, os.X_OK):
            return f"{self._host.shell} cannot be run"
        try:
            os.makedirs(self._root, 0o700, exist_ok=True)
        except OSError as error:
            return f"{self._root} cannot be made: {error.strerror}"
        return None if os.access(self._root, os.W_OK) else f"{self._root} cannot be written"

    def _folder(self, key: AttemptKey) -> AttemptFolder:
        return AttemptFolder(f"{self._root}/{key.uid}-{key.attempt}")

    def _folder_names(self) -> list[str]:
        try:
            return sorted(os.listdir(self._root))
        except FileNotFoundError:
            return []

    def _found(self, key: AttemptKey, claim: Claim) -> Found:
        known = self._attempts.get(key)
        if known is not None:
            running = known.exit is None
        else:
            folder = self._folder(key)
            running = folder.exit() is None and lives(folder, claim.pid, claim.boot_id, self._host)
        return Found(
            key=key,
            number=claim.number,
            epoch=claim.epoch,
            handle=claim.handle,
            running=running,
            started_at=claim.started_at,
        )

    def _start_fresh(self, order: RunOrder, folder: AttemptFolder) -> Attempt | None:
        """Start in a new folder, where no other shim can be; None when the folder exists."""
        try:
            if not folder.create():
                return None
        except OSError as error:
            raise start_failed(error) from error
        try:
            attempt = spawn_attempt(order, folder, self._plan(order), self._host)
        except StartFailed:
            folder.delete()
            raise
        return self._keep(order.key, attempt)

    def _plan(self, order: RunOrder) -> Launch:
        return plan_launch(order, path=self._host.path, my_uid=os.geteuid(), my_gid=os.getegid())

    async def _give_workspace(self, order: RunOrder) -> None:
        """Let whom the job runs as own its workspace, and nobody else look into it."""
        with suppress(StartFailed, FileNotFoundError):  # whoever starts it will say so
            who = identity_of(
                order.run_as, person=order.user, my_uid=os.geteuid(), my_gid=os.getegid()
            )
            if who is not None:
                await asyncio.to_thread(prepare_workspace, order.workspace, who.uid, who.gid)

    async def _start_contested(self, order: RunOrder, folder: AttemptFolder) -> Attempt:
        """Adopt what runs or ran; where nothing was claimed, send a second shim into the race.

        The first may still come: the agent that sent it died at just that moment. One of the two
        gets the claim, the other ends.
        """
        if folder.is_claimed():
            return await self._known(order.key, "")
        try:
            mine = spawn_attempt(order, folder, self._plan(order), self._host)
        except StartFailed:
            if folder.bury():
                folder.delete()
                raise
            return await self._known(order.key, "")
        while folder.claim() is None and child_runs(mine.pid):  # noqa: ASYNC110
            await asyncio.sleep(_CLAIM_LOOK_S)  # a file tells nobody that it is there
        claim = folder.claim()
        if claim is not None and claim.pid == mine.pid:
            return self._keep(order.key, mine)
        self._ends.add(mine.pid, partial(reap, mine.pid))
        return await self._known(order.key, "")

    async def _known(self, key: AttemptKey, handle: str) -> Attempt:
        while (known := self._attempts.get(key)) is None:
            adopted = adopt(self._folder(key), key, handle, self._host)
            if adopted is not None:
                return self._keep(key, adopted)
            await asyncio.sleep(_CLAIM_LOOK_S)
        return known

    def _keep(self, key: AttemptKey, attempt: Attempt) -> Attempt:
        self._attempts[key] = attempt
        if attempt.exit is None:
            attempt.watch(self._ends)
            if self._bound_timer is None:
                self._bound_timer = asyncio.get_running_loop().call_later(BOUND_S, self._bound)
        return attempt

    def _bound(self) -> None:
        bound_logs(self._attempts.values())
        self._bound_timer = None
        if self._attempts:
            self._bound_timer = asyncio.get_running_loop().call_later(BOUND_S, self._bound)
