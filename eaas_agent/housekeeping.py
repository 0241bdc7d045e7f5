"""What is looked at now and then: runtime, images, disk, mounts, cards, what is past its time."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final, Literal

from eaas.errors import EaasError
from eaas.ids import CardUuid
from eaas.wire.from_agent import Beat, FilesFailed, Inventory, InventoryChanged
from eaas.wire.to_agent import Order
from eaas_agent.card_desk import CardDesk
from eaas_agent.cards.port import Cards
from eaas_agent.cards.simulated import SimulatedCards
from eaas_agent.inventory import Surroundings, steady_part
from eaas_agent.ledger import Ledger
from eaas_agent.model import Attempt, Event, Surveyed, WorkspaceDeleted
from eaas_agent.mounts import Mounts
from eaas_agent.runtime_choice import Chosen, probe
from eaas_agent.runtimes.port import Bind
from eaas_agent.workspace import ROOM_NEEDED_MIB, Workspaces

LOOK_EVERY_S: Final = 10.0
PROBE_EVERY: Final = 3
"""Looks between two probes of the runtime."""

IMAGES_EVERY: Final = 6
SURVEY_AGAIN_S: Final = 2.0

log = logging.getLogger(__name__)

Say = Callable[[Beat | InventoryChanged | FilesFailed], None]


class Housekeeping:
    """Keeps the node's surroundings up to date and says what changed."""

    def __init__(
        self,
        chosen: Chosen,
        surroundings: Surroundings,
        mounts: Mounts,
        *,
        ledger: Ledger,
        workspaces: Workspaces,
        post: Callable[[Event], None],
        say: Say,
        clock: Callable[[], float],
    ) -> None:
        self._chosen = chosen
        self._around = surroundings
        self._mounts = mounts
        self._ledger = ledger
        self._workspaces = workspaces
        self._post = post
        self._say = say
        self._clock = clock
        self._told: Inventory | None = None

    async def first_look(self) -> None:
        """Gather what the first greeting must say."""
        self._around.runtime = self._chosen.state
        await self._look_at_disk()
        await self._look_at_images()
        await self._mounts.look()
        self._told = steady_part(self._around.inventory())

    async def survey(self) -> None:
        """Ask the runtime what it has of ours, for as long as it takes to get an answer."""
        while True:
            try:
                found = await self._chosen.runtime.find()
            except Exception as error:
                log.warning("the runtime can't say what it has yet: %s", error)
            else:
                return self._post(Surveyed(found=tuple(found)))
            await asyncio.sleep(SURVEY_AGAIN_S)

    async def run(self) -> None:
        """Look around for ever."""
        turn = 0
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            turn += 1
            try:
                await self._look(turn)
            except Exception:
                log.exception("looking around failed; the next look comes")

    async def _look(self, turn: int) -> None:
        await self._look_at_disk()
        if turn % PROBE_EVERY == 0:
            self._around.runtime = await probe(self._chosen.runtime, self._chosen.kind)
        if turn % IMAGES_EVERY == 0:
            await self._look_at_images()
            await self._delete_expired()
        await self._mounts.look()
        self.tell_changes()

    async def binds(self, order: Order) -> tuple[Bind, ...]:
        """Return the folders for an order's mounts; what stands in the way is told at once.

        Raises ``StartFailed``. The controller would send the job here again if it did not know.
        """
        try:
            return await self._mounts.binds(order)
        finally:
            self.tell_changes()

    def tell_changes(self) -> None:
        """Send the inventory if anything in it that beats do not carry is different."""
        inventory = self._around.inventory()
        steady = steady_part(inventory)
        if steady != self._told:
            self._told = steady
            self._say(InventoryChanged(inventory=inventory))

    async def _look_at_disk(self) -> None:
        self._around.ledger_is_full(not self._ledger.refill())
        free_mib = self._workspaces.free_mib()
        if free_mib is not None and free_mib < ROOM_NEEDED_MIB:
            for uid in self._ledger.ended_first():
                log.warning("%d MiB are free: the workspace of ended job %s goes", free_mib, uid)
                await self._delete(uid, "disk_pressure")
                free_mib = self._workspaces.free_mib()
                if free_mib is None or free_mib >= ROOM_NEEDED_MIB:
                    break
        self._around.disk_free_mib = free_mib

    async def _look_at_images(self) -> None:
        if self._around.runtime.fault is not None:
            return
        try:
            self._around.images = tuple(await self._chosen.runtime.images())
        except (EaasError, OSError) as error:
            log.warning("the images can't be listed: %s", error)

    async def _delete_expired(self) -> None:
        for uid in self._ledger.expired(self._clock()):
            await self._delete(uid, "expired")

    async def _delete(self, uid: str, why: Literal["expired", "disk_pressure"]) -> None:
        await self._workspaces.delete(uid)
        self._post(WorkspaceDeleted(uid=uid, why=why))


class CardWatch:
    """Follows the cards sample by sample, and says at once when one changes its state."""

    def __init__(
        self,
        cards: Cards,
        desk: CardDesk,
        *,
        attempts: Callable[[], Iterable[Attempt]],
        beat: Callable[[float], Beat],
        say: Say,
    ) -> None:
        self._cards = cards
        self._desk = desk
        self._attempts = attempts
        self._beat = beat
        self._say = say

    def claims_changed(self) -> None:
        """Take over which attempts hold which cards now."""
        self._desk.claims_are(self._attempts())
        if isinstance(self._cards, SimulatedCards):
            self._cards.hold(self._desk.holders())

    def vouched(self, uuid: str) -> None:
        """Take a person's word that what is left on a card does no harm."""
        self._desk.vouched(CardUuid(uuid), self._cards.picture())

    async def run(self) -> None:
        """Watch for ever; the claims of attempts that were found count from the start."""
        self.claims_changed()
        states: tuple[str, ...] = ()
        while True:
            self._desk.observe(await self._cards.changed())
            beat = self._beat(0.0)
            now = tuple(card.state for card in beat.cards)
            if now != states:
                states = now
                self._say(beat)
