from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas.reasons import NodeSilent
from eaas_daemon.core.silence import go_offline
from tests.rig.builders import House, a_card, cards_of

N1 = NodeName("n1")


def test_of_a_silent_node_nobody_knows_how_its_jobs_are_and_they_keep_their_cards() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    job = house.running(house.submit(gpus=1))

    go_offline(house.state, house.state.nodes[N1], house.now + 30)

    node, unknown = house.state.nodes[N1], house.job(job.number)
    since = "1970-01-01T00:16:40.000Z"
    assert (node.offline, node.offline_since) == (True, 1000.0)
    assert (unknown.state, unknown.reason) == (
        JobState.UNKNOWN,
        NodeSilent(node="n1", since=since),
    )
    assert cards_of(unknown) == cards_of(job)
    assert [line.text for line in house.state.changes().journal] == [
        "n1 is silent since 1970-01-01 00:16:40 UTC",
        "job 1 may still run on n1, which is silent",
    ]


def test_a_job_that_is_unknown_already_is_not_told_twice() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    house.running(house.submit())
    go_offline(house.state, house.state.nodes[N1], house.now)
    house.state.settle()

    go_offline(house.state, house.state.nodes[N1], house.now)

    assert [line.kind for line in house.state.changes().journal] == ["node.offline"]
    assert house.state.changes().jobs == ()
