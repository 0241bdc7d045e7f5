"""One watched folder at work: what was dropped is taken, read, carried out and answered.

A file moves through four places: the folder, ``.taken``, the engine's database (a key made of
folder, name and content), ``accepted`` or ``refused``. Whatever stops the controller in between,
the next pass finds the file in one of them and the key makes it the same job.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from eaas.errors import EaasError
from eaas.folder_file import FolderFile, cancel_order
from eaas.units import utc_text
from eaas_daemon.clock import Clock
from eaas_daemon.intake import names
from eaas_daemon.intake.failures import concerns_all
from eaas_daemon.intake.folder import Folder, Identity
from eaas_daemon.intake.follower import Follower
from eaas_daemon.intake.opening import opened
from eaas_daemon.intake.own_thread import OwnThread
from eaas_daemon.intake.parser import Read, Unread
from eaas_daemon.intake.reading import FileReader, ReaderUnusable
from eaas_daemon.intake.settings import FolderSettings
from eaas_daemon.intake.status import again_text, error_text, one_mistake, orders_text
from eaas_daemon.intake.submitting import (
    PASSING,
    Accepted,
    Obeyed,
    Outcome,
    Refused,
    Submitter,
    folder_key,
)
from eaas_daemon.intake.taken_file import TakenFile
from eaas_daemon.intake.taking import Claim, Taken, Taker

log = logging.getLogger(__name__)

RESCAN_S: Final = 5.0
JOBS_A_STEP: Final = 50
"""Jobs that are submitted together, so that one step of the engine stays short."""

Answered = tuple[TakenFile, Outcome]


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at a folder led to."""

    identity: Identity
    accepted: int = 0
    refused: int = 0
    left: int = 0
    """How many things lie in the folder that are not for it, or can't be taken."""
    open_to: str | None = None
    """Who may put files there."""
    private: bool = False
    """Nobody but the controller's user and root may."""
    look_again_s: float = RESCAN_S
    """When the next look is due, without anybody's hint."""


class Door:
    """One folder's way to the engine."""

    def __init__(
        self,
        settings: FolderSettings,
        *,
        submitter: Submitter,
        reader: FileReader,
        follower: Follower,
        thread: OwnThread,
        service_uid: int,
        claim: Claim,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._submitter = submitter
        self._reader = reader
        self._follower = follower
        self._thread = thread
        self._service_uid = service_uid
        self._clock = clock
        self._monotonic = monotonic
        self._taker = Taker(settings, service_uid, claim)

    async def look(self, renamed: Collection[str] = ()) -> Pass:
        """Take what is whole, a bounded number of files, and answer them.

        ``renamed`` are the names of which the system told that they came by rename since the
        last look. Raises ``FolderUnusable``, ``ReaderUnusable`` and OSError.
        """
        taken = await self._thread.do(self._taker.take, self._monotonic(), renamed, self._now())
        if taken.look_again_in is not None:
            await self._reader.warm()
        contents, unreadable = {}, None
        try:
            contents = await self._contents(taken.files)
        except ReaderUnusable as error:  # orders that a name gives can be obeyed all the same
            rest = tuple(file for file in taken.files if not _is_to_be_read(file))
            taken, unreadable = msgspec.structs.replace(taken, files=rest), error
        outcomes = await self._outcomes(taken, contents)
        answered = [(f, o) for f, o in zip(taken.files, outcomes, strict=True) if o is not None]
        await self._answer(answered)
        if unreadable is not None:
            raise unreadable
        refused = sum(isinstance(outcome, Refused) for _, outcome in answered)
        return Pass(
            identity=taken.identity,
            accepted=len(answered) - refused,
            refused=refused + taken.refused,
            left=taken.left,
            open_to=taken.open_to,
            private=taken.private,
            look_again_s=_look_again_s(taken, progress=bool(answered)),
        )

    def _now(self) -> str:
        return utc_text(self._clock.now())

    # --- carry out

    async def _contents(self, files: Sequence[TakenFile]) -> dict[str, Read]:
        """Return what each file says that has to be read, by its name."""
        readable = [file for file in files if _is_to_be_read(file)]
        unread = [Unread(name=file.name, data=file.data) for file in readable]
        read = await self._reader.read(unread, self._settings.defaults) if unread else []
        return dict(zip((file.name for file in readable), read, strict=True))

    async def _outcomes(self, taken: Taken, contents: Mapping[str, Read]) -> list[Outcome | None]:
        """Return what became of each file; None for those that have to come again."""
        waits: set[str] = set()
        outcomes: list[Outcome | None] = []
        for part in _parts(taken.files, contents):
            outcomes += await asyncio.gather(
                *(self._outcome(f, contents.get(f.name), taken, waits) for f in part)
            )
        for why in waits:
            log.warning("files in %s wait: %s", self._settings.path, why)
        return outcomes

    async def _outcome(
        self, file: TakenFile, read: Read | None, taken: Taken, waits: set[str]
    ) -> Outcome | None:
        try:
            outcome = await self._judged(file, read, taken)
        except PASSING as failure:
            waits.add(failure.sentence)
            return None
        except EaasError as refusal:
            outcome = _plainly_refused(refusal.sentence)
        except Exception:
            log.exception("%s met a bug", self._shown(file.name))
            outcome = _plainly_refused("this met a bug in the controller; its log has more")
        if isinstance(outcome, Refused) and not file.final:
            return None  # perhaps it did not come by rename and its writer is still at it
        return outcome

    async def _judged(self, file: TakenFile, read: Read | None, taken: Taken) -> Outcome:
        if file.wrong is not None:
            return _plainly_refused(file.wrong)
        order = cancel_order(file.name)
        content = FolderFile(orders=(order,)) if order is not None else None
        if read is not None:
            content = read.content
        if content is None:
            return Refused(errors=read.errors if read is not None else ())
        caller = taken.callers[file.uid]
        if isinstance(caller, EaasError):
            raise caller
        key = folder_key(self._settings.path, file.name, file.data)
        return await self._submitter.carry_out(content, caller, key)

    # --- answer

    async def _answer(self, answered: Sequence[Answered]) -> None:
        """Put the files where they belong; one that can't be moved now comes again."""
        if not answered:
            return
        accepted = {f.name: o for f, o in answered if isinstance(o, Accepted)}
        statuses = await self._follower.first_statuses(accepted)
        moved: set[str] = set()
        try:
            await self._thread.do(self._move, answered, statuses, self._now(), moved)
        finally:
            for name in moved & accepted.keys():
                self._follower.follow(name, accepted[name], statuses[name])

    def _move(
        self, answered: Sequence[Answered], statuses: Mapping[str, str], at: str, moved: set[str]
    ) -> None:
        """Put the files away one by one; ``moved`` tells how far that came."""
        with opened(self._settings.path, self._service_uid) as folder:
            for file, outcome in answered:
                try:
                    _settle(folder, file.name, outcome, statuses.get(file.name, ""), at)
                    moved.add(file.name)
                except OSError as error:
                    if concerns_all(error):
                        raise
                    log.warning("%s stays: %s", self._shown(file.name), error.strerror)

    def _shown(self, name: str) -> str:
        return f"{self._settings.path}/{names.shown_name(name)}"


def _is_to_be_read(file: TakenFile) -> bool:
    return file.wrong is None and cancel_order(file.name) is None


def _plainly_refused(message: str) -> Refused:
    """Refuse a file for something that its content has no part in."""
    return Refused(errors=one_mistake(message), secret=False)


def _settle(folder: Folder, name: str, outcome: Outcome, status: str, at: str) -> None:
    match outcome:
        case Refused(errors=errors, secret=secret, mend=mend):
            folder.refuse(name, error_text(name, errors, at, mend=mend), secret=secret)
        case Obeyed(done=done):
            folder.accept(name, names.obeyed_name(name), orders_text(done))
        case Accepted(numbers=numbers, again=again):
            new_name = names.accepted_name(numbers[0], name)
            seen_before = again and folder.has_accepted(new_name)
            folder.accept(name, new_name, status)
            if seen_before:
                folder.write_beside(new_name, names.AGAIN, again_text(numbers, at))


def _look_again_s(taken: Taken, *, progress: bool) -> float:
    if taken.more and progress:
        return 0.0
    return RESCAN_S if taken.look_again_in is None else min(RESCAN_S, taken.look_again_in)


def _parts(files: Sequence[TakenFile], contents: Mapping[str, Read]) -> Iterator[list[TakenFile]]:
    """Yield files that are carried out together: so many jobs that one step stays short."""
    part: list[TakenFile] = []
    size = 0
    for file in files:
        read = contents.get(file.name)
        jobs = 1 if read is None or read.content is None else len(read.content.jobs)
        if part and size + jobs > JOBS_A_STEP:
            yield part
            part, size = [], 0
        part.append(file)
        size += jobs
    if part:
        yield part
