"""A pool in which an urgent job may interrupt others, and how its agents obey."""

from typing import Any

from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from eaas_daemon.core.preempt import MIN_RUN_S
from tests.rig.builders import ADMIN, ALICE, BOB, House, a_card


def a_house(*, cards: int = 2, nodes: int = 1, **inventory: Any) -> House:
    """Return a pool with a preemptible queue of low priority and an urgent one."""
    house = House()
    names = [f"n{i}" for i in range(1, nodes + 1)]
    for name in names:
        house.node(name, *(a_card(i, node=name) for i in range(cards)), **inventory)
    house.pool("default", *names)
    house.queue("night", priority=-10, preemptible=True)
    house.queue("urgent", priority=10)
    house.do(e.Tick())
    return house


def at_night(house: House, **fields: Any) -> Job:
    """Let a job of the preemptible queue run, long enough that it may be stopped."""
    job = house.submit(ALICE, queue="night", **fields)
    assert job.state is JobState.STARTING
    job = house.running(job)
    house.now += MIN_RUN_S
    return job


def urgently(house: House, **fields: Any) -> Job:
    """Submit an urgent job of bob's; return it as it stands after the step."""
    return house.job(house.submit(BOB, queue="urgent", **{"gpus": 1, **fields}).number)


def obeys(house: House, job: Job, exit_code: int | None = 143, **but: Any) -> Job:
    """Let the job's agent say that it has stopped it; return the job as it stands then."""
    return house.ended(house.job(job.number), **{"exit_code": exit_code, "cause": "stopped", **but})


def clean(house: House, name: str = "n1", cards: int = 2) -> None:
    """Let the node read clean whatever was given back."""
    house.now += 2
    placed = house.state.placed.get(NodeName(name), {}).values()
    held = {card.uuid for job in placed for card in job.attempts[-1].cards}
    read = [a_card(i, node=name) for i in range(cards)]
    house.beat(name, *(replace(c, state="held") if c.uuid in held else c for c in read))


def change(queue: str, **settings: Any) -> e.ChangeQueue:
    """Return an admin's wish to change the queue."""
    body = SetQueue(**settings)
    return e.ChangeQueue(caller=ADMIN, pool="default", name=queue, settings=body)


def states(house: House, *jobs: Job) -> list[JobState]:
    """Return how the jobs stand now."""
    return [house.job(job.number).state for job in jobs]
