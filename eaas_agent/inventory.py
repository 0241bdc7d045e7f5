"""What this node has, as it tells the controller: gathered piece by piece, told when it changes."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from eaas.wire.from_agent import Beat, CardLink, Image, Inventory, NamedMount
from eaas_agent.accounts import People
from eaas_agent.card_desk import CardDesk
from eaas_agent.cards.port import CardsPicture
from eaas_agent.cards.sharing import ShareRules
from eaas_agent.machine import Machine, memory_used_mib
from eaas_agent.runtimes.port import AttemptKey, CachedImage, RuntimeState

DISK_NEEDED_MIB: Final = 512
"""With less free, the node takes no new work."""


class Reach(msgspec.Struct, frozen=True):
    """How the ranks of a job on several nodes reach each other, as far as the owner has a say."""

    address: str | None = None
    """By which other nodes reach this one; None: by what the controller sees of it."""
    host_network: bool = True
    """Whether such a job's containers may have this machine's network."""

    def no_ranks(self, runtime: RuntimeState) -> str | None:
        """Return why no rank can run here, in words, or None if one can."""
        if runtime.kind == "docker" and not self.host_network:
            return "its owner keeps containers off its network (host_network: false)"
        return runtime.no_host_network


ANYHOW: Final = Reach()


class Surroundings:
    """Everything around the attempts: runtime, cards, disk, images, and what is wrong with them."""

    def __init__(
        self,
        machine: Machine,
        desk: CardDesk,
        *,
        cpus: float | None,
        mounts: Callable[[], tuple[NamedMount, ...]],
        labels: Mapping[str, str],
        cards: Callable[[], CardsPicture],
        clock: Callable[[], float],
        people: People = lambda: None,
        reach: Reach = ANYHOW,
    ) -> None:
        """``cpus`` overrides what the machine has; ``clock`` gives Unix seconds; ``people`` tells
        whose plain processes can run here, ``reach`` how other nodes reach those who do.
        """
        self.runtime = RuntimeState(kind="process", engine=None)
        self.images: tuple[CachedImage, ...] = ()
        self.disk_free_mib: int | None = None
        self._machine = machine
        self._desk = desk
        self._cpus = machine.cpus if cpus is None else cpus
        self._mounts = mounts
        self.labels = dict(labels)
        self._cards = cards
        self._clock = clock
        self._people = people
        self._reach = reach
        self._ledger_full = False
        self._unkillable: set[AttemptKey] = set()

    def let_share(self, sharing: ShareRules) -> None:
        """Let cards be shared like this from now on."""
        self._desk.sharing = sharing

    def ledger_is_full(self, full: bool) -> None:
        """Note whether the agent could write down what it does."""
        self._ledger_full = full

    def unkillable(self, key: AttemptKey, outlives: bool) -> None:
        """Note an attempt that outlives its kill, or that it is gone at last."""
        if outlives:
            self._unkillable.add(key)
        else:
            self._unkillable.discard(key)

    def inventory(self) -> Inventory:
        """Return everything as it is now."""
        picture = self._cards()
        state = self.runtime
        return Inventory(
            runtime=state.kind,
            engine=state.engine,
            faults=tuple(self._faults()),
            notes=state.notes,
            cpus=self._cpus,
            memory_mib=self._machine.memory_mib,
            disk_free_mib=self.disk_free_mib,
            cards=self._desk.reports(picture, self._clock()),
            cards_text=picture.text,
            driver=picture.driver,
            links=tuple(CardLink(a=link.a, b=link.b, kind=link.kind) for link in picture.links),
            images=tuple(
                Image(name=image.name, digest=image.digest, size_mib=image.size_mib)
                for image in self.images
            ),
            named_mounts=self._mounts(),
            labels=self.labels,
            people=self._people() if state.kind == "process" else None,
            max_sharers=self._desk.sharing.max_sharers,
            address=self._reach.address,
            no_ranks=self._reach.no_ranks(state),
        )

    def beat(self, loop_lag_s: float) -> Beat:
        """Return a sign of life with fresh readings."""
        picture = self._cards()
        return Beat(
            memory_used_mib=memory_used_mib(),
            loop_lag_s=round(loop_lag_s, 4),
            cards=self._desk.reports(picture, self._clock()),
            sampled_at=picture.sampled_at,
        )

    def _faults(self) -> list[tuple[str, str]]:
        faults = []
        if self.runtime.fault is not None:
            faults.append(("engine_hung", self.runtime.fault))
        free = self.disk_free_mib
        if self._ledger_full:
            faults.append(("disk_full", "the agent's state folder can't be written"))
        elif free is not None and free < DISK_NEEDED_MIB:
            faults.append(("disk_full", f"only {free} MiB are free where workspaces lie"))
        for key in sorted(self._unkillable):
            text = f"attempt {key.attempt} of job {key.uid} outlives its kill"
            faults.append(("unkillable", text))
        return faults


def steady_part(inventory: Inventory) -> Inventory:
    """Return the inventory without what every beat carries, so that only real changes differ."""
    cards = tuple(
        msgspec.structs.replace(
            card,
            state="unknown",
            text=None,
            memory_used_mib=None,
            utilization_pct=None,
            temperature_c=None,
            power_w=None,
            processes=None,
        )
        for card in inventory.cards
    )
    return msgspec.structs.replace(inventory, cards=cards, disk_free_mib=None)
