import pytest

from eaas.ids import NodeName
from eaas.units import utc_text
from eaas.views import JobView, LogView, PhaseView
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Job
from eaas_daemon.core.picture import Painter
from tests.daemon.core.test_step import different_specs
from tests.rig.builders import ALICE, House, a_card
from tests.rig.costs import costing
from tests.rig.preempting import a_house as preempting_house
from tests.rig.preempting import at_night, obeys, urgently


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def painter(house: House) -> Painter:
    return Painter(house.state, lambda uid, attempt: (attempt * 10, 1), house.now)


def view(house: House, job: Job, *, private: bool = True) -> JobView:
    return painter(house).job(house.job(job.number), private=private)


def test_a_waiting_job_has_a_reason_and_a_place_and_nothing_that_comes_later(house: House) -> None:
    house.submit(gpus=1)

    seen = view(house, house.submit(gpus=1))

    assert seen.reason is not None
    assert (seen.state, seen.position, seen.reason.code) == ("Pending", 1, "too_few_free_cards")
    assert (seen.node, seen.cards, seen.attempt, seen.attempts) == (None, (), 0, ())
    assert (seen.started_at, seen.run_s, seen.exit_code, seen.workspace) == (None,) * 4


def test_a_job_shows_how_often_it_was_preempted() -> None:
    house = preempting_house(cards=1)
    job = at_night(house, gpus=1)
    assert view(house, job).preemptions == 0
    urgently(house)
    stopping = view(house, job)
    again = obeys(house, job)

    assert stopping.reason is not None
    assert (stopping.state, stopping.reason.code) == ("Stopping", "preempted")
    assert view(house, again).preemptions == 1


def test_a_starting_job_shows_its_phase(house: House) -> None:
    job = house.submit()
    assert view(house, job).phase == PhaseView(name="starting")

    said = wire.Progress(uid=job.uid, attempt=1, name="pulling", done_bytes=1, total_bytes=4)
    house.do(e.AgentProgress(node=NodeName("n1"), session="s-n1", progress=said))

    assert view(house, job).phase == PhaseView(name="pulling", done_bytes=1, total_bytes=4)


def test_a_running_job_shows_how_long_it_has_run_and_how_much_it_has_said(house: House) -> None:
    job = house.running(house.submit(gpus=1))
    house.now += 2.5

    seen = view(house, job)

    assert (seen.run_s, seen.node, seen.position) == (2.5, "n1", None)
    assert [card.uuid for card in seen.cards] == ["GPU-n1-0"]
    assert seen.attempts[0].log == LogView(
        stdout_bytes=10, stderr_bytes=1, gap_bytes=0, complete=False
    )
    assert seen.workspace == "on n1"


def test_an_ended_job_keeps_the_facts_of_its_last_attempt(house: House) -> None:
    job = house.running(house.submit())
    house.now += 3
    job = house.ended(job, exit_code=3, oom_killed=False)

    seen = view(house, job)

    assert (seen.state, seen.exit_code, seen.oom_killed, seen.run_s) == ("Failed", 3, False, 3.0)
    until = utc_text(house.now + 7 * 86400)[:16].replace("T", " ") + " UTC"
    assert seen.workspace == f"on n1, kept until {until} unless its disk fills up"


def test_a_job_in_backoff_has_no_place_and_shows_no_old_exit_code(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "30s"})
    house.ended(house.running(job), exit_code=1)

    seen = view(house, job)

    assert seen.reason is not None
    assert (seen.state, seen.position, seen.reason.code) == ("Pending", None, "backoff")
    assert (seen.exit_code, seen.node, seen.attempts[0].exit_code) == (None, None, 1)


@pytest.mark.parametrize(
    ("why", "words"),
    [("expired", "when its keeping time had passed"), ("disk_pressure", "disk was filling up")],
)
def test_a_workspace_that_is_gone_says_why(house: House, why: str, words: str) -> None:
    job = house.ended(house.running(house.submit()))
    gone = wire.WorkspaceGone(uid=job.uid, at=house.now, why=why)  # type: ignore[arg-type]
    house.fact("n1", gone)

    assert words in str(view(house, job).workspace)


def test_what_is_its_owners_business_is_null_for_others(house: House) -> None:
    job = house.submit(env={"TOKEN": "secret"}, name="train")

    assert view(house, job).spec["env"] == {"TOKEN": "secret"}
    assert view(house, job, private=False).spec == {
        "name": "train",
        "image": "busybox",
        "command": None,
        "env": None,
    }


def test_positions_counted_at_once_are_those_counted_one_by_one(house: House) -> None:
    house.queue("night", priority=-1)
    jobs = [house.submit(gpus=1, queue=queue) for queue in ("night", "default", "night")]
    one_by_one = [view(house, job).position for job in jobs]
    at_once = painter(house)
    at_once.number_positions()

    assert [at_once.job(house.job(job.number)).position for job in jobs] == one_by_one


def test_10_000_waiting_jobs_are_drawn_in_a_second(house: House) -> None:
    house.do(e.Submit(caller=ALICE, specs=different_specs(5_000) + different_specs(1) * 5_000))

    with costing() as cost:
        draws = painter(house)
        draws.number_positions()
        views = [draws.job(job) for job in house.state.jobs.values()]

    assert cost.s < 1.0
    assert sum(seen.position is not None for seen in views) == 9_999
