"""Makes an order ready for this host: its workspace, its cards' device numbers, its environment."""

import errno
from collections.abc import Awaitable, Callable
from pathlib import Path

from eaas.errors import EaasError
from eaas.ids import CardUuid, JobNumber
from eaas.unpack import UnsafeTar
from eaas.wire.to_agent import Order
from eaas_agent.cards.port import CardsPicture
from eaas_agent.environment import job_environment
from eaas_agent.model import Attempt
from eaas_agent.runtimes.port import Bind, CardSlot, RunOrder, StartFailed
from eaas_agent.workspace import Workspaces


class Preparation:
    """Turns what the controller wrote into what a runtime takes."""

    def __init__(
        self,
        workspaces: Workspaces,
        *,
        cards: Callable[[], CardsPicture],
        inside: Callable[[Path], str],
        mounts: Callable[[Order], Awaitable[tuple[Bind, ...]]],
        log_cap_mib: int | None = None,
    ) -> None:
        """``inside`` tells where a job sees its workspace; ``mounts`` gives what an order asks for,
        or raises ``StartFailed``; the cap is this node's own.
        """
        self._workspaces = workspaces
        self._cards = cards
        self._inside = inside
        self._mounts = mounts
        self.log_cap_mib = log_cap_mib

    async def __call__(self, attempt: Attempt) -> RunOrder:
        """Return the order for the runtime; raise ``StartFailed`` when it can't be met here."""
        order = attempt.order
        cards = card_slots(order, self._cards()) if order.cards else ()
        workspace = await self._workspace(order)
        mounts = await self._mounts(order) if order.mounts else ()
        return RunOrder(
            key=attempt.key,
            number=JobNumber(order.number),
            epoch=order.epoch,
            image=order.image,
            image_digest=order.image_digest,
            command=order.command,
            env=job_environment(order, self._inside(workspace)),
            cards=cards,
            cpus=order.cpus,
            memory_mib=order.memory_mib,
            shm_mib=order.shm_mib,
            workspace=workspace,
            workdir=order.workdir,
            run_as=order.run_as,
            mounts=mounts,
            user=order.user,
            log_cap_mib=min(order.log_cap_mib, self.log_cap_mib or order.log_cap_mib),
            on_host_network=order.rank is not None,
        )

    async def _workspace(self, order: Order) -> Path:
        try:
            return await self._workspaces.prepare(order.uid, order.pack)
        except UnsafeTar as error:
            raise StartFailed(error.sentence, code="pack_wrong", fault="user") from error
        except EaasError as error:
            raise StartFailed(error.sentence, code=error.code, fault="node") from error
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise StartFailed(
                f"the workspace can't be made: {error.strerror or error}",
                code="disk_full" if full else "workspace_error",
                fault="node",
            ) from error


def card_slots(order: Order, picture: CardsPicture) -> tuple[CardSlot, ...]:
    """Return the order's cards as devices; raise ``StartFailed`` for one that is not here.

    While the driver does not answer, the UUID alone must do.
    """
    known = {card.uuid: card for card in picture.cards}
    slots = []
    for uuid in order.cards:
        card = known.get(CardUuid(uuid))
        if card is not None:
            slots.append(CardSlot(uuid=card.uuid, minor=card.minor, simulated=card.simulated))
        elif picture.state == "unknown":
            slots.append(CardSlot(uuid=CardUuid(uuid)))
        else:
            raise StartFailed(f"card {uuid} is not in this node", code="card_lost", fault="node")
    return tuple(slots)
