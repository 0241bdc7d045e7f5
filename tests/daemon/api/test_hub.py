import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from eaas.errors import EaasError
from eaas.ids import JobNumber, PoolName
from eaas.views import JobView
from eaas.wire.from_agent import CardProcess
from eaas.wire.rest import SetQueue
from eaas.wire.to_client import Changes, Readings, Snapshot
from eaas_daemon.api import snapshots
from eaas_daemon.api import subscriber as subscribers
from eaas_daemon.api.hub import JOBS_A_STEP, LINGER_S
from eaas_daemon.core import events as e
from tests.daemon.api.follower import Follower, a_pool, fresh_picture, joined, settled
from tests.daemon.api.served import House
from tests.rig.builders import ADMIN, ALICE, a_card


async def test_the_first_frame_shows_all_that_has_not_ended(house: House) -> None:
    await a_pool(house)
    await house.submit()
    await house.submit()
    await house.ask("POST", "/api/v1/jobs/1/cancel")
    await house.ends(1)

    follower = await joined(house)

    [snapshot] = follower.frames
    assert isinstance(snapshot, Snapshot)
    assert snapshot.seq == house.state.seq
    assert [job.id for job in snapshot.jobs] == [2]
    assert [node.name for node in snapshot.nodes] == ["n1"]


async def test_a_step_comes_as_one_frame_with_what_it_changed_and_its_journal(
    house: House,
) -> None:
    await a_pool(house)
    follower = await joined(house)
    before = house.state.seq

    await house.tick(1)
    await house.submit(gpus=1)

    [frame] = [frame for frame in follower.read() if isinstance(frame, Changes) and frame.jobs]
    assert (frame.after, frame.seq) == (before, house.state.seq)
    assert [(job.id, job.state) for job in frame.jobs] == [(1, "Starting")]
    assert [event.kind for event in frame.events] == ["job.submitted", "job.placed"]
    assert [pool.cards_free for pool in frame.pools] == [1]
    assert [queue.running for queue in frame.queues] == [1]
    assert [node.jobs for node in frame.nodes] == [(1,)]


async def test_an_ended_job_comes_once_more(house: House) -> None:
    await a_pool(house)
    await house.submit()
    await house.runs(1)
    follower = await joined(house)

    await house.ends(1)

    states = [
        job.state for frame in follower.read() if isinstance(frame, Changes) for job in frame.jobs
    ]
    assert states == ["Succeeded"]


async def test_who_comes_back_in_time_gets_the_changes_in_between(house: House) -> None:
    await a_pool(house)
    follower = await joined(house)
    await house.submit()
    follower.read()
    house.parts.hub.leave(follower.subscriber)
    await house.submit()
    await house.runs(1)

    back = Follower(house.parts.hub, after=follower.seq)
    back.picture = follower.picture
    frames = back.read()

    assert frames
    assert all(isinstance(frame, Changes) for frame in frames)
    await settled(house, back)
    assert back.picture == await fresh_picture(house.parts.hub, house.engine)


async def test_who_comes_back_to_frames_nobody_drew_gets_a_snapshot(house: House) -> None:
    await a_pool(house)
    follower = await joined(house)
    house.parts.hub.leave(follower.subscriber)
    await house.tick(LINGER_S + 1)
    await house.submit()

    back = await joined(house, after=follower.seq)

    assert [type(frame) for frame in back.frames] == [Snapshot]


@pytest.mark.parametrize("after", [0, 10_000])
async def test_a_number_that_was_never_given_out_here_gets_a_snapshot(
    house: House, after: int
) -> None:
    await a_pool(house)
    await joined(house)

    other = await joined(house, after=after)

    assert [type(frame) for frame in other.frames] == [Snapshot]


async def test_nothing_is_drawn_while_nobody_listens(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_pool(house)
    await house.submit()
    drawn: list[Changes] = []
    monkeypatch.setattr(house.parts.hub, "_tell", lambda *step: drawn.append(step[0]))

    await house.engine.ask(e.Cancel(caller=ADMIN, number=JobNumber(1)))

    assert drawn == []


async def test_a_failure_to_show_a_step_ends_the_streams_and_nothing_else(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_pool(house)
    follower = await joined(house)
    with monkeypatch.context() as broken:
        broken.setattr(house.parts.hub, "_frame", lambda *step: 1 / 0)
        await house.submit()

    assert follower.subscriber.ended
    again = await joined(house, after=follower.seq)
    assert [type(frame) for frame in again.frames] == [Snapshot]


async def test_other_people_do_not_see_what_is_private_in_a_job(house: House) -> None:
    await a_pool(house)
    followers = {viewer: await joined(house, viewer) for viewer in ("ann", "bob", None)}

    await house.submit("ann", command="train --key 7", env={"TOKEN": "s3cret"})

    seen = {viewer: spec_of(follower) for viewer, follower in followers.items()}
    private = {"image": "busybox", "command": "train --key 7", "env": {"TOKEN": "s3cret"}}
    assert seen["ann"] == seen[None] == private
    assert seen["bob"] == {"image": "busybox", "command": None, "env": None}


def spec_of(follower: Follower) -> dict[str, object]:
    """Return the spec of the only job in the frames."""
    jobs: list[JobView] = []
    for frame in follower.read():
        if isinstance(frame, Changes):
            jobs += frame.jobs
    return jobs[-1].spec


async def test_members_do_not_see_the_command_lines_of_jobs_on_cards(house: House) -> None:
    await a_pool(house)
    await house.submit(gpus=1)
    process = CardProcess(pid=7, memory_mib=1, user="ann", command="train", uid=house.job(1).uid)
    admin, member = await joined(house), await joined(house, "bob")

    await house.tick(2)
    await house.beat("n1", a_card(0, state="held", processes=(process,)), a_card(1))

    assert [commands(follower) for follower in (admin, member)] == [["train"], [None]]


def commands(follower: Follower) -> list[str | None]:
    """Return the command lines in the readings."""
    readings = [frame for frame in follower.read() if isinstance(frame, Readings)]
    return [process.command for card in readings[-1].cards for process in card.processes]


async def test_readings_come_at_most_once_a_second_for_each_node(house: House) -> None:
    await a_pool(house)
    follower = await joined(house)

    for _ in range(10):
        await house.beat("n1", a_card(0), a_card(1, power_w=99.0))
        await house.tick(0.25)

    readings = [frame for frame in follower.read() if isinstance(frame, Readings)]
    assert len(readings) == 3
    assert readings[-1].cards[1].power_w == 99.0


async def test_places_in_line_follow_when_those_ahead_are_gone(house: House) -> None:
    await a_pool(house, cards=1)
    for _ in range(4):
        await house.submit(gpus=1)
    follower = await joined(house)

    await house.ask("POST", "/api/v1/jobs/2/cancel")
    await settled(house, follower)

    positions = {id: view.position for id, view in follower.picture["jobs"].items()}
    assert positions == {1: None, 3: 1, 4: 2}


async def test_a_slow_client_is_dropped_to_a_snapshot_and_holds_up_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribers, "MAX_WAITING_FRAMES", 5)
    await a_pool(house)
    slow, quick = await joined(house), await joined(house)

    for _ in range(10):
        await house.submit()
        quick.read()

    assert slow.subscriber.fell_behind
    assert slow.read() == []
    slow.subscriber.fell_behind = False
    await settled(house, quick)
    assert [type(frame) for frame in slow.read()[:1]] == [Snapshot]
    assert slow.picture["jobs"].keys() == quick.picture["jobs"].keys()


Act = Callable[[House, random.Random], Awaitable[None]]


async def submit(house: House, rng: random.Random) -> None:
    queue = rng.choice(list(house.state.queues))
    await house.submit(rng.choice(["ann", "bob"]), gpus=rng.randint(0, 2), queue=queue)


async def cancel(house: House, rng: random.Random) -> None:
    if house.state.jobs:
        job = rng.choice(list(house.state.jobs.values()))
        await house.engine.ask(e.Cancel(caller=ADMIN, number=job.number))


async def run(house: House, rng: random.Random) -> None:
    starting = [job for job in house.state.jobs.values() if job.state == "Starting"]
    if starting:
        await house.runs(rng.choice(starting).number)


async def end(house: House, rng: random.Random) -> None:
    placed = [job for jobs in house.state.placed.values() for job in jobs.values()]
    if placed:
        await house.ends(rng.choice(placed).number, exit_code=rng.randint(0, 1))


async def move(house: House, rng: random.Random) -> None:
    waiting = [job for job in house.state.jobs.values() if job.state == "Pending"]
    if waiting:
        job, queue = rng.choice(waiting), rng.choice(list(house.state.queues.values()))
        await house.engine.ask(
            e.Move(caller=ADMIN, number=job.number, pool=queue.pool, queue=queue.name)
        )


async def pause(house: House, rng: random.Random) -> None:
    settings = SetQueue(paused=rng.random() < 0.5, priority=rng.randint(0, 3))
    queue = rng.choice(list(house.state.queues.values()))
    await house.engine.ask(
        e.ChangeQueue(caller=ADMIN, pool=queue.pool, name=queue.name, settings=settings)
    )


async def drain(house: House, rng: random.Random) -> None:
    await house.engine.ask(e.SetDraining(caller=ADMIN, node="n1", draining=rng.random() < 0.5))


async def read_cards(house: House, rng: random.Random) -> None:
    states = ("free", "held", "foreign", "sick")
    cards = [a_card(i, node="n2", state=rng.choice(states)) for i in range(2)]
    await house.beat("n2", *cards)


async def regroup(house: House, rng: random.Random) -> None:
    name = rng.choice(["n1", "n2"])
    if name in house.state.pools[PoolName("second")].members:
        await house.engine.ask(e.RemoveFromPool(caller=ADMIN, pool="second", node=name))
    else:
        await house.engine.ask(e.AddToPool(caller=ADMIN, pool="second", node=name, cards=("0",)))


async def come_and_go(house: House, rng: random.Random) -> None:
    if "passing" in house.state.pools:
        await house.engine.ask(e.DeletePool(caller=ADMIN, name="passing"))
        await house.engine.ask(e.RemoveNode(caller=ADMIN, node="n3"))
    else:
        await house.node("n3", a_card(0, node="n3"))
        await house.pool("passing", "n3")
        await house.engine.ask(
            e.CreateQueue(caller=ADMIN, pool="passing", name="q", settings=SetQueue())
        )
        paused = SetQueue(paused=True)
        for name in ("q", "default"):
            await house.engine.ask(
                e.ChangeQueue(caller=ADMIN, pool="passing", name=name, settings=paused)
            )


ACTS: tuple[Act, ...] = (submit, submit, submit, cancel, run, run, end, move, pause, drain)
LATER: tuple[Act, ...] = (read_cards, regroup, come_and_go)


@pytest.mark.parametrize("seed", range(4))
async def test_a_snapshot_and_the_changes_since_make_the_next_snapshot(
    house: House, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "JOBS_A_PIECE", 3)
    rng = random.Random(seed)
    await a_pool(house)
    await house.node("n2", a_card(0, node="n2"), a_card(1, node="n2"))
    await house.pool("second", "n2")
    await come_and_go(house, rng)
    await come_and_go(house, rng)
    hub = house.parts.hub
    viewers = (None, str(ALICE.user), "ann")
    followers = [(v, await joined(house, v, pieces=p)) for v in viewers for p in (0, 1, 2)]
    for count in range(60):
        with suppress(EaasError):
            await rng.choice(ACTS + LATER)(house, rng)
        if count % 10 == 0:
            await house.tick(rng.choice([0.0, 0.3, 2.0]))
        if count in (25, 45):
            followers.append(("ann", Follower(hub, "ann", pieces=2 * (count == 45))))
        if count % 20 == 19:
            for viewer, follower in followers:
                await settled(house, follower)
                assert follower.picture == await fresh_picture(hub, house.engine, viewer)


async def test_what_thousands_of_jobs_become_in_one_step_is_drawn_in_several(
    house: House,
) -> None:
    await house.pool()
    follower = await joined(house)
    array = {"image": "a", "command": "true", "array": "0-2499"}

    await house.ask("POST", "/api/v1/jobs", array)
    await house.ask("POST", "/api/v1/jobs/1/cancel")
    for _ in range(4):
        await house.tick()

    frames = [frame.jobs for frame in follower.read() if isinstance(frame, Changes)]
    last = {job.id: job.state for jobs in frames for job in jobs}
    assert max(map(len, frames)) <= JOBS_A_STEP
    assert last == dict.fromkeys(range(1, 2501), "Cancelled")
