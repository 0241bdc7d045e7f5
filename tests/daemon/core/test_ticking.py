import pytest

from eaas.ids import NodeName
from eaas.lifecycle import DEFAULT_HALF_LIFE_S, JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.model import Node
from eaas_daemon.core.ticking import KEYS_KEPT_S
from tests.daemon.core.test_on_jobs import a_submit
from tests.rig.builders import House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def node_of(house: House) -> Node:
    return house.state.nodes[NodeName("n1")]


def gone(house: House) -> None:
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut"))


def test_a_node_silent_for_20_s_is_offline_since_it_was_last_heard(house: House) -> None:
    house.quiet_start()
    silent_from = house.now
    gone(house)

    for _ in range(5):
        house.now += 4
        house.do(e.Tick())
    assert not node_of(house).offline
    house.now += 1
    house.do(e.Tick())

    assert (node_of(house).offline, node_of(house).offline_since) == (True, silent_from)


def test_no_silence_counts_in_the_first_two_minutes(house: House) -> None:
    house.do(e.Tick())

    house.silence("n1", seconds=116)

    assert not node_of(house).offline


@pytest.mark.parametrize("jump_s", [3600.0, -3600.0])
def test_no_silence_counts_for_two_minutes_after_the_clock_has_jumped(
    house: House, jump_s: float
) -> None:
    house.quiet_start()
    house.now += jump_s
    house.do(e.Tick())

    house.silence("n1", seconds=116)
    assert not node_of(house).offline
    for _ in range(2):
        house.now += 4
        house.do(e.Tick())

    assert node_of(house).offline


def test_a_node_goes_offline_once(house: House) -> None:
    house.quiet_start()
    house.silence("n1")

    house.now += 4
    house.do(e.Tick())

    assert house.changes.empty


def test_jobs_of_an_offline_node_are_unknown_and_keep_their_cards(house: House) -> None:
    job = house.running(house.submit(gpus=1))
    house.quiet_start()

    house.silence("n1")

    unknown = house.job(job.number)
    assert (unknown.state, unknown.attempts[-1].cards) == (JobState.UNKNOWN, job.attempts[-1].cards)
    assert house.submit(gpus=1).state is JobState.PENDING


def test_a_backoff_ends_with_the_tick_after_its_time(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "3s"})
    house.ended(house.running(job), exit_code=1)

    house.now += 3
    house.do(e.Tick())

    assert (house.job(job.number).state, list(house.state.aside)) == (JobState.STARTING, [])


def test_old_keys_leave_the_memory_and_still_stand_for_their_jobs(house: House) -> None:
    house.do(a_submit("k", b"1"))
    house.now += KEYS_KEPT_S + 1

    house.do(e.Tick())

    assert house.state.keys == {}
    assert house.state.find_key(house.job(1).user, "k") is not None


def test_who_has_had_no_card_for_long_is_not_remembered(house: House) -> None:
    job = house.submit(gpus=1)
    house.running(job)
    house.now += 3600
    house.ended(house.job(job.number))
    house.do(e.Tick())
    assert house.state.usage.keys() == {("default", "alice")}

    house.now += 20 * DEFAULT_HALF_LIFE_S
    house.do(e.Tick())

    assert house.state.usage == {}
