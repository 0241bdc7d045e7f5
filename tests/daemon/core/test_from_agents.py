from typing import Any

import pytest
from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName
from eaas.wire import from_agent as wire
from eaas.wire.logs import LogEnd
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Acknowledge, Dropped, Effect
from tests.rig.builders import House, a_card, a_hello, an_inventory

N1 = NodeName("n1")


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def greet(house: House, session: str, node: str = "n1", **but: Any) -> tuple[Effect, ...]:
    hello = a_hello(node, an_inventory(a_card(0, node=node)), **but)
    house.do(e.AgentSaidHello(session=session, address="10.0.0.1", hello=hello))
    return house.effects


def cut(house: House) -> None:
    house.do(e.AgentGone(node=N1, session="s-n1", why="cut"))


def kinds(house: House) -> list[str]:
    return [line.kind for line in house.changes.journal]


# --- facts


def facts_of(seqs: list[int], fact: wire.Fact, session: str = "s-n1") -> e.AgentSaidFacts:
    spooled = tuple(wire.Spooled(seq, fact) for seq in seqs)
    return e.AgentSaidFacts(
        node=N1, session=session, facts=wire.Facts(spool_id="spool-n1", facts=spooled)
    )


def a_start(house: House) -> wire.AttemptRunning:
    job = house.submit()
    return wire.AttemptRunning(uid=job.uid, attempt=1, started_at=house.now, handle="c")


def test_facts_are_acknowledged_up_to_the_last_one(house: House) -> None:
    house.do(facts_of([1, 2, 3], a_start(house)))

    assert house.effects == (Acknowledge(node=N1, spool_id="spool-n1", seq=3),)
    assert house.changes.spools == (("spool-n1", 1, 3),)


def test_repeated_facts_change_nothing_and_are_acknowledged_again(house: House) -> None:
    fact = a_start(house)
    house.do(facts_of([1, 2], fact))

    house.do(facts_of([1, 2], fact))

    assert house.changes.empty
    assert house.effects == (Acknowledge(node=N1, spool_id="spool-n1", seq=2),)


def test_facts_in_disorder_can_not_make_the_spool_go_back(house: House) -> None:
    house.do(facts_of([3, 2, 4], a_start(house)))

    assert house.changes.spools == (("spool-n1", 3, 4),)


def test_facts_of_an_older_connection_are_not_even_acknowledged(house: House) -> None:
    house.do(facts_of([1], a_start(house), session="older"))

    assert (house.changes.empty, house.effects) == (True, ())


def test_a_late_end_of_an_attempt_that_is_over_lets_the_agent_forget_it(house: House) -> None:
    job = house.ended(house.running(house.submit()))

    house.ended(job)

    assert house.effects[0] == Dropped(node=N1, uid=job.uid, attempt=1)
    assert house.changes.jobs == ()


def test_only_the_node_that_keeps_the_workspace_can_say_that_it_is_gone(house: House) -> None:
    job = house.ended(house.running(house.submit()))
    house.node("n2")
    gone = wire.WorkspaceGone(uid=job.uid, at=house.now, why="expired")

    house.fact("n2", gone)
    assert house.job(job.number).workspace_gone is None
    house.fact("n1", gone)

    assert house.job(job.number).workspace_gone == "expired"


# --- readings


def test_a_beat_is_not_stored(house: House) -> None:
    house.now += 2
    house.beat("n1", a_card(0, utilization_pct=90))

    assert house.changes.empty
    assert house.state.nodes[N1].cards[0].utilization_pct == 90


def test_a_card_that_turns_foreign_is_told_once(house: House) -> None:
    told = []
    for _ in range(2):
        house.beat("n1", a_card(0, state="foreign", text="pid 7"))
        told.append(kinds(house))

    assert told == [["card.foreign"], []]


def test_a_card_is_offered_again_once_it_was_read_clean_after_its_release(house: House) -> None:
    house.ended(house.running(house.submit(gpus=1)))
    assert CardUuid("GPU-n1-0") in house.state.cooling

    house.now += 2
    house.beat("n1", a_card(0, state="dirty", text="memory"))
    assert CardUuid("GPU-n1-0") in house.state.cooling
    house.now += 2
    house.beat("n1", a_card(0))

    assert house.state.cooling == {}


def test_faults_of_a_node_come_and_go_in_the_journal(house: House) -> None:
    told = []
    for faults in ((("engine_hung", "the engine hangs"),), ()):
        inventory = replace(an_inventory(a_card(0)), faults=faults)
        house.do(e.AgentInventory(node=N1, session="s-n1", inventory=inventory))
        told += kinds(house)

    assert told == ["node.engine_hung", "node.recovered"]


def test_progress_is_shown_for_the_live_attempt_only(house: House) -> None:
    job = house.submit()
    for attempt in (7, 1):
        said = wire.Progress(uid=job.uid, attempt=attempt, name="pulling", done_bytes=attempt)
        house.do(e.AgentProgress(node=N1, session="s-n1", progress=said))

    assert house.state.phases[job.uid].done_bytes == 1


# --- logs


def test_a_log_that_ends_after_its_job_is_noted_all_the_same(house: House) -> None:
    job = house.ended(house.running(house.submit()))

    end = LogEnd(uid=job.uid, attempt=1, stdout_bytes=5, stderr_bytes=0, gap_bytes=None)
    house.do(e.LogFinished(end=end))

    attempt = house.job(job.number).attempts[0]
    assert (attempt.stdout_bytes, attempt.gap_bytes, attempt.log_complete) == (5, None, True)


def test_a_dropped_log_leaves_a_line_of_history(house: House) -> None:
    job = house.ended(house.running(house.submit()))

    house.do(e.LogWasDropped(uid=job.uid, attempt=1, size_bytes=3 << 20))

    assert kinds(house) == ["log.dropped"]


@pytest.mark.parametrize(
    ("wrong", "about", "kind"),
    [
        ("it is not there", {}, "folder.disabled"),
        (None, {}, "folder.enabled"),
        (None, {"replaced": True}, "folder.replaced"),
        ("no such queue", {"doubt": True}, "folder.doubtful"),
        (None, {"doubt": True}, "folder.right"),
    ],
)
def test_what_happens_to_a_watched_folder_is_history(
    house: House, wrong: str | None, about: dict[str, bool], kind: str
) -> None:
    house.do(e.FolderNoted(path="/srv/jobs", wrong=wrong, **about))

    assert kinds(house) == [kind]


def test_a_card_is_offered_again_although_its_nodes_clock_was_set_back_while_it_was_held(
    house: House,
) -> None:
    """The end is not told as before the start, and so it lies hours ahead of every reading."""
    house.beat("n1", a_card(0))
    job = house.running(house.submit(gpus=1))
    house.ended(job, finished_at=house.now + 7 * 3600)
    house.now += 20.0

    house.beat("n1", a_card(0))

    assert house.submit(gpus=1).state == "Starting"
