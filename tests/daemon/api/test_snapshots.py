import pytest

from eaas_daemon.api import snapshots
from eaas_daemon.api.snapshots import SnapshotRun
from eaas_daemon.api.subscriber import Subscriber
from eaas_daemon.core.picture import Painter
from tests.rig.builders import House


def a_painter(house: House) -> Painter:
    """Return what draws the house as it is now."""
    return Painter(house.state, lambda _uid, _attempt: (0, 0), house.now)


@pytest.fixture(autouse=True)
def two_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "JOBS_A_PIECE", 2)


@pytest.fixture
def house() -> House:
    house = House()
    house.pool()
    for _ in range(5):
        house.submit()
    return house


def drawn(run: SnapshotRun, house: House) -> list[int]:
    """Return how many jobs each piece has."""
    pieces = []
    while not run.is_done:
        pieces.append(len(run.draw(a_painter(house))))
    return pieces


def test_jobs_come_some_at_a_time(house: House) -> None:
    assert drawn(SnapshotRun(house.state.jobs, ()), house) == [2, 2, 1]


def test_a_pool_without_jobs_is_one_empty_piece() -> None:
    house = House()
    run = SnapshotRun(house.state.jobs, ())

    assert run.draw(a_painter(house)) == ()
    assert run.is_done


def test_a_job_that_ends_before_its_turn_is_left_out(house: House) -> None:
    run = SnapshotRun(house.state.jobs, ())
    run.draw(a_painter(house))
    del house.state.jobs[house.job(3).uid]

    assert drawn(run, house) == [1, 1]


def test_what_changes_meanwhile_is_kept_in_its_newest_form_for_those_without_pieces(
    house: House,
) -> None:
    whole, pieces = Subscriber(None), Subscriber(None, pieces=True)
    run = SnapshotRun(house.state.jobs, (whole, pieces))
    first = run.draw(a_painter(house))
    job = house.job(1)

    run.note((job,), (first[1],))
    drawn(run, house)

    assert len(run.kept) == 5
    assert run.kept[0] is first[1]
    assert run.waiting([whole, pieces], pieces=True) == [pieces]
    assert run.waiting([whole, Subscriber(None)], pieces=False) == [whole]


def test_nothing_is_kept_where_everybody_takes_pieces(house: House) -> None:
    run = SnapshotRun(house.state.jobs, (Subscriber(None, pieces=True),))
    drawn(run, house)

    assert run.kept == ()


def test_places_in_line_follow_what_changes_between_the_pieces(house: House) -> None:
    run = SnapshotRun(house.state.jobs, ())
    assert [b'"position":1' in bytes(form.full) for form in run.draw(a_painter(house))] == [
        True,
        False,
    ]
    house.state.line.remove(house.job(1))

    run.note((), ())

    assert b'"position":2,' in bytes(run.draw(a_painter(house))[0].full)
