from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas.ids import NodeName
from eaas.lifecycle import JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.link_history import LinkEnd, LinkHistory
from eaas_daemon.core.mass_loss import FROZEN_S, condition, mass_loss
from eaas_daemon.core.model import Node
from tests.rig.builders import House, a_hello, an_inventory


class Pool(House):
    """A pool of nodes that the network takes away and gives back."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.names = [f"n{number}" for number in range(count)]
        self.kinds: list[str] = []
        for name in self.names:
            self.node(name)
        self.pool("default", *self.names)
        self.quiet_start()

    def do(self, *events: e.Event) -> Any:
        answer = super().do(*events)
        self.kinds += [line.kind for line in self.changes.journal]
        return answer

    def lose(self, *names: str, by: Any = "nobody") -> None:
        for name in names:
            gone = e.AgentGone(node=NodeName(name), session=f"s-{name}", why="cut", by=by)
            self.do(gone)

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 4
            self.do(e.Tick())

    @property
    def offline(self) -> list[str]:
        return [name for name in self.names if self.state.nodes[NodeName(name)].offline]


@pytest.fixture
def pool() -> Pool:
    return Pool(4)


def test_most_nodes_silent_at_once_are_not_believed_to_be_off(pool: Pool) -> None:
    job = pool.running(pool.submit())

    pool.lose("n0", "n1", "n2")
    pool.wait(120)

    assert pool.offline == []
    assert pool.job(job.number).state is JobState.RUNNING
    assert pool.kinds.count("controller.mass_loss") == 1
    assert pool.state.mass_loss is not None
    assert condition(pool.state.mass_loss).text.startswith("3 of 4 nodes fell silent")


def test_half_of_the_nodes_is_not_most_of_them(pool: Pool) -> None:
    pool.lose("n0", "n1")
    pool.wait(24)

    assert (pool.offline, pool.state.mass_loss) == (["n0", "n1"], None)


def test_two_nodes_are_too_few_to_tell() -> None:
    pool = Pool(2)

    pool.lose("n0", "n1")
    pool.wait(24)

    assert pool.offline == ["n0", "n1"]


def test_nodes_that_fall_silent_one_by_one_are_no_mass_loss(pool: Pool) -> None:
    for name in ("n0", "n1", "n2"):
        pool.lose(name)
        pool.wait(100)

    assert pool.offline == ["n0", "n1", "n2"]


def test_agents_that_said_goodbye_are_off_and_no_mass_loss(pool: Pool) -> None:
    pool.lose("n0", "n1", "n2", by="agent")
    pool.wait(24)

    assert (pool.offline, pool.state.mass_loss) == (["n0", "n1", "n2"], None)


def test_a_node_that_was_off_already_when_most_fell_silent_stays_off(pool: Pool) -> None:
    pool.lose("n0")
    pool.wait(24)
    pool.lose("n1", "n2")
    pool.wait(60)

    assert pool.offline == ["n0"]


def test_it_is_over_when_all_are_back(pool: Pool) -> None:
    pool.lose("n0", "n1", "n2")
    pool.wait(60)
    for name in ("n0", "n1"):
        pool.node(name)
        pool.wait(4)
        assert pool.state.mass_loss is not None

    pool.node("n2")
    pool.wait(4)

    assert pool.state.mass_loss is None
    assert [kind for kind in pool.kinds if kind.startswith("controller.mass")] == [
        "controller.mass_loss",
        "controller.mass_loss_over",
    ]
    assert "node.offline" not in pool.kinds


def test_after_ten_minutes_those_that_are_still_silent_are_offline(pool: Pool) -> None:
    pool.lose("n0", "n1", "n2")
    pool.wait(FROZEN_S)
    assert pool.offline == []

    pool.wait(60)

    assert (pool.offline, pool.state.mass_loss) == (["n0", "n1", "n2"], None)
    assert pool.kinds.count("controller.mass_loss") == 1


def a_node(name: str, silent_since: float | None, *, offline: bool, said: bool) -> Node:
    hello = a_hello(name, an_inventory())
    node = Node(
        name=NodeName(name),
        uid=hello.node_uid,
        inventory=hello.inventory,
        version="0",
        boot_id="b",
        session="s",
        last_seen_at=1000.0,
    )
    if silent_since is None:
        return node
    end = LinkEnd(at=silent_since, why="cut", address=None, by="agent" if said else "nobody")
    return replace(
        node,
        session=None,
        last_seen_at=silent_since,
        offline=offline,
        link=LinkHistory(last_end=end),
    )


SILENCE = st.tuples(st.none() | st.floats(0.0, 1000.0), st.booleans(), st.booleans())


@given(st.lists(SILENCE, max_size=12), st.randoms(use_true_random=False))
def test_a_loss_is_always_more_than_half_and_does_not_hang_on_the_order(
    silences: list[tuple[float | None, bool, bool]], rng: Any
) -> None:
    nodes = [
        a_node(f"n{number}", since, offline=offline, said=said)
        for number, (since, offline, said) in enumerate(silences)
    ]

    found = mass_loss(nodes, 1000.0, 20.0)

    rng.shuffle(nodes)
    assert mass_loss(nodes, 1000.0, 20.0) == found
    if found is not None:
        assert found.of >= 3
        assert found.of < 2 * found.lost <= 2 * found.of
