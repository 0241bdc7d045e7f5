"""The mounts this node offers: looked at again and again, and once more when a job starts."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec.structs import replace

from eaas.job_mounts import MountAsk, may_have, mount_ask
from eaas.wire.from_agent import NamedMount
from eaas.wire.to_agent import Order
from eaas_agent.homes import NoHome
from eaas_agent.mount_check import Places, look, source_for
from eaas_agent.named_folders import Mount
from eaas_agent.patience import NoAnswer, Patience
from eaas_agent.runtimes.port import Bind, StartFailed
from eaas_agent.safe_folder import Unfit

WAIT_S: Final = 5.0
"""A file system that takes longer is taken for away."""
SILENT: Final = "does not answer"

log = logging.getLogger(__name__)

T = TypeVar("T")


class Mounts:
    """What agent.yaml names, and how each mount was when it was last looked at."""

    def __init__(
        self, defined: Sequence[Mount], places: Places, *, patience: Patience | None = None
    ) -> None:
        self._places = places
        self._patience = patience or Patience(WAIT_S)
        self._making = asyncio.Lock()
        self._defined: dict[str, Mount] = {}
        self._told: dict[str, NamedMount] = {}
        self.define(defined)

    def define(self, defined: Sequence[Mount]) -> None:
        """Offer these from now on; what is new or other is offered once it was looked at."""
        old, self._defined = self._defined, {mount.name: mount for mount in defined}
        self._told = {
            name: self._told[name] if old.get(name) == mount else _named(mount, "not looked at yet")
            for name, mount in self._defined.items()
        }

    def told(self) -> tuple[NamedMount, ...]:
        """Return every mount as it was last."""
        return tuple(self._told.values())

    async def look(self) -> None:
        """Look at every mount; takes as long as the slowest, as far as patience goes."""
        await asyncio.gather(*map(self._look_at, self._defined.values()))

    async def binds(self, order: Order) -> tuple[Bind, ...]:
        """Return the folders for what the order asks, each looked at now; raise ``StartFailed``."""
        asks = [mount_ask(text) for text in order.mounts]
        return tuple([await self._bind(ask, order) for ask in asks])

    async def _look_at(self, mount: Mount) -> None:
        try:
            people = await self._call(mount, lambda: look(mount, self._places))
        except Unfit as error:
            self._tell(mount, _named(mount, error.sentence))
        else:
            self._tell(mount, replace(_named(mount), people=people))

    async def _bind(self, ask: MountAsk, order: Order) -> Bind:
        mount = self._defined.get(ask.name)
        if mount is None:
            raise _failed(f"this node has no mount named {ask.name} any more", "mount_missing")
        if not may_have(mount.users, mount.queues, user=order.user, ref=order.queue):
            raise _failed(f"mount {mount.name} is not for this job any more", "mount_not_allowed")
        if mount.read_only and ask.writable:
            raise _failed(f"mount {mount.name} is read-only now", "mount_read_only")
        source = await self._source(mount, order.user)
        return Bind(source=source, target=ask.target, read_only=not ask.writable)

    async def _source(self, mount: Mount, user: str) -> Path:
        async with self._making:
            try:
                return await self._call(mount, lambda: source_for(mount, user, self._places))
            except NoHome as error:
                words = f"mount {mount.name}: {error.sentence}"
                raise StartFailed(words, code="mount_without_folder", fault="user") from error
            except Unfit as error:
                self._tell(mount, _named(mount, error.sentence))
                words = f"mount {mount.name} can't be used now: {error.sentence}"
                raise _failed(words, "mount_unavailable") from error

    async def _call(self, mount: Mount, do: Callable[[], T]) -> T:
        try:
            return await self._patience.call(str(mount.path), do)
        except NoAnswer as error:
            raise Unfit(SILENT) from error

    def _tell(self, mount: Mount, found: NamedMount) -> None:
        if self._defined.get(mount.name) != mount:
            return  # agent.yaml says something else by now
        was = self._told[mount.name].unavailable
        if found.unavailable != was:
            level = logging.INFO if found.unavailable is None else logging.WARNING
            log.log(level, "mount %s: %s", mount.name, found.unavailable or "available")
        self._told[mount.name] = found


def _named(mount: Mount, unavailable: str | None = None) -> NamedMount:
    return NamedMount(
        name=mount.name,
        read_only=mount.read_only,
        unavailable=unavailable,
        users=mount.users,
        queues=mount.queues,
        per_user=mount.per_user,
    )


def _failed(sentence: str, code: str) -> StartFailed:
    return StartFailed(sentence, code=code, fault="node")
