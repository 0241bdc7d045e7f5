import pytest

from eaas.ids import JobNumber
from eaas.wire.to_client import Changes, ManyReadings, Readings, Snapshot, SnapshotJobs
from eaas_daemon.api import snapshots
from eaas_daemon.core import events as e
from tests.daemon.api.follower import Follower, a_pool, fresh_picture, joined, settled
from tests.daemon.api.served import House
from tests.rig.builders import ADMIN, a_card


async def test_the_readings_of_all_nodes_come_in_one_frame_to_those_who_understand_it(
    house: House,
) -> None:
    await a_pool(house, cards=1)
    await house.node("n2", a_card(0, node="n2"))
    new, old = await joined(house, pieces=True), await joined(house)

    await house.tick(2)
    await house.beat("n1", a_card(0, power_w=99.0))
    await house.tick(0.25)
    await house.beat("n2", a_card(0, node="n2", power_w=77.0))
    await house.tick(1)

    assert [type(frame) for frame in new.read()] == [Readings, Readings]
    await house.beat("n1", a_card(0))
    await house.beat("n2", a_card(0, node="n2"))
    await house.tick(1)
    [together] = new.read()
    assert isinstance(together, ManyReadings)
    assert [readings.node for readings in together.readings] == ["n1", "n2"]
    assert {type(frame) for frame in old.read()} == {Readings}
    assert old.picture == new.picture


async def test_while_a_long_snapshot_is_under_way_others_are_answered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "JOBS_A_PIECE", 2)
    await a_pool(house)
    for _ in range(9):
        await house.submit()
    follower = Follower(house.parts.hub, pieces=True)

    await house.engine.ask(e.Cancel(caller=ADMIN, number=JobNumber(9)))
    before = follower.read()
    await settled(house, follower)

    assert not any(isinstance(frame, SnapshotJobs) and frame.last for frame in before)
    pieces = [f for f in follower.frames if isinstance(f, Snapshot | SnapshotJobs)]
    assert [len(piece.jobs) for piece in pieces] == [0, 2, 2, 2, 2, 1]
    assert follower.picture == await fresh_picture(house.parts.hub, house.engine)


async def test_whoever_takes_no_pieces_gets_one_frame_as_of_its_end(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "JOBS_A_PIECE", 2)
    await a_pool(house)
    for _ in range(9):
        await house.submit()
    follower = Follower(house.parts.hub)

    await house.tick()
    await house.ask("POST", "/api/v1/jobs/1/cancel")
    await house.submit()
    await settled(house, follower)

    [snapshot] = [frame for frame in follower.frames if not isinstance(frame, Changes)]
    assert isinstance(snapshot, Snapshot)
    assert snapshot.whole
    assert follower.picture == await fresh_picture(house.parts.hub, house.engine)
