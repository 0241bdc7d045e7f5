"""A controller's core with jobs that share cards, for the tests of that."""

from typing import Any

from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from tests.rig.builders import ALICE, House, a_card, cards_of

STARTING, PENDING = JobState.STARTING, JobState.PENDING
SEEN_S = 2.0
"""How long it takes here until a card that was given back is read again."""


def a_house(*gib: int, nodes: int = 1, **inventory: Any) -> House:
    """Return a controller with nodes that have a card of each of these sizes."""
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        cards = [a_card(i, node=name, gib=size) for i, size in enumerate(gib or (24,))]
        house.node(name, *cards, **inventory)
    house.pool("default", *names)
    house.do(e.Tick())
    return house


def share(house: House, gib: float, caller: e.Caller = ALICE, **fields: Any) -> Job:
    typed: dict[str, Any] = {
        "gpus": 1,
        "share": True,
        "gpu_memory": f"{round(gib * 1024)}MiB",
    } | fields
    return house.submit(caller, **typed)


def end(house: House, job: Job) -> None:
    """Let the job's attempt end and all cards be read again."""
    now = house.job(job.number)
    if now.attempts[-1].started_at is None:
        now = house.running(now)
    house.ended(now)
    read(house)


def read(house: House, **of_card_0: Any) -> None:
    """Let every node read its cards, as its agent would tell of them."""
    house.now += SEEN_S
    for name, node in list(house.state.nodes.items()):
        owned = {
            card.uuid
            for job in house.state.placed.get(name, {}).values()
            for card in job.attempts[-1].cards
        }
        cards = []
        for card in node.inventory.cards:
            but = of_card_0 if card.index == 0 else {}
            state = "held" if card.uuid in owned else "free"
            size = (card.memory_total_mib or 0) // 1024
            cards.append(a_card(card.index, node=name, gib=size, **{"state": state, **but}))
        house.beat(name, *cards)


def where(house: House, *jobs: Job) -> list[str | None]:
    now = [house.job(job.number) for job in jobs]
    return [None if job.state is PENDING else cards_of(job)[0][4:] for job in now]
