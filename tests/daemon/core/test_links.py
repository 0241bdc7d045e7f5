from typing import Any

import pytest

from eaas.ids import NodeName
from eaas.wire import from_agent as wire
from eaas_daemon.core import events as e
from eaas_daemon.core.inventory_picture import node_view
from eaas_daemon.core.link_history import CALM_S
from eaas_daemon.core.model import Node
from tests.rig.builders import House, a_hello, an_inventory

N1 = NodeName("n1")


class Comings(House):
    """A house in which one node comes and goes, and what is told of it."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, str]] = []
        self.quiet_start()

    def do(self, *events: e.Event) -> Any:
        answer = super().do(*events)
        self.told += [(line.kind, line.text) for line in self.changes.journal]
        return answer

    def comes(self, address: str | None = "10.0.0.4", **but: Any) -> None:
        hello = a_hello("n1", an_inventory(), **but)
        self.do(e.AgentSaidHello(session="s-n1", address=address, hello=hello))

    def goes(self, why: str = "ping timeout", by: Any = "nobody") -> None:
        self.do(e.AgentGone(node=N1, session="s-n1", why=why, by=by))

    def waits(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 4
            self.do(e.Tick())

    def flaps(self, times: int = 7) -> None:
        for _ in range(times):
            self.comes()
            self.now += 60
            self.do(e.Tick())
            self.quiet_until_now()
            self.goes()
        self.comes()

    def quiet_until_now(self) -> None:
        """End the grace after the jump of the clock that let time pass quickly here."""
        self.state.quiet_until = self.now

    @property
    def there(self) -> Node:
        return self.state.nodes[N1]

    @property
    def codes(self) -> list[str]:
        return [one.code for one in node_view(self.state, self.there).conditions]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.told]


@pytest.fixture
def house() -> Comings:
    house = Comings()
    house.comes()
    return house


def test_a_silent_node_says_why_its_connection_ended_and_where_it_was(house: Comings) -> None:
    house.goes("ping timeout")
    house.waits(24)

    end = node_view(house.state, house.there).last_end
    assert end is not None
    assert (end.why, end.by, end.address) == ("ping timeout", "nobody", "10.0.0.4")
    kind, text = house.told[-1]
    assert kind == "node.offline"
    assert text.endswith("(its connection ended: ping timeout)")


def test_an_agent_that_said_goodbye_is_away_and_not_silent(house: Comings) -> None:
    house.goes("the agent was stopped", by="agent")
    house.waits(24)

    assert house.told[-1][1].startswith("n1 is away since")
    assert house.told[-1][1].endswith("the agent was stopped")


def test_a_connection_that_was_replaced_leaves_its_end_too(house: Comings) -> None:
    house.comes(address="10.0.0.9")

    end = house.there.link.last_end
    assert end is not None
    assert (end.address, "came back before" in end.why) == ("10.0.0.4", True)


def test_another_machine_of_that_name_has_a_history_of_its_own(house: Comings) -> None:
    house.goes()
    house.waits(24)

    house.comes(node_uid="another", address="10.0.0.9")

    assert (house.there.link.last_end, house.codes) == (None, [])


def test_a_flapping_node_is_told_of_once(house: Comings) -> None:
    house.goes()
    house.flaps()

    assert house.codes == ["flapping"]
    assert house.kinds.count("node.flapping") == 1


def test_a_flapping_nodes_comings_and_goings_are_told_at_most_once_in_ten_minutes(
    house: Comings,
) -> None:
    house.goes()
    house.flaps()
    house.told.clear()

    for _ in range(20):  # an hour, in which it is offline and back 20 times
        house.goes()
        house.waits(120)
        house.comes()
        house.waits(60)

    assert len(house.told) <= 6
    assert set(house.kinds) <= {"node.offline", "node.back"}


def test_a_node_that_flapped_and_stays_away_is_told_of_in_the_end(house: Comings) -> None:
    house.goes()
    house.flaps()
    house.told.clear()

    house.goes()
    house.waits(700)

    assert house.kinds == ["node.offline"]


def test_half_an_hour_of_calm_ends_flapping_and_says_so(house: Comings) -> None:
    house.goes()
    house.flaps()
    house.told.clear()

    house.waits(CALM_S + 4)

    assert (house.codes, house.kinds) == ([], ["node.recovered"])


def test_another_address_is_told_once_and_shown_for_an_hour(house: Comings) -> None:
    house.goes()
    house.comes(address="10.0.0.9")

    assert house.told[-1] == ("node.address_changed", "n1 came from 10.0.0.9, before from 10.0.0.4")
    assert house.codes == ["address_changed"]
    house.waits(3604)
    assert house.codes == []


def test_a_wrong_clock_is_told_when_it_becomes_wrong_and_when_it_is_right_again(
    house: Comings,
) -> None:
    shown = []
    for ahead_s in (1.0, 45.0, 46.0, 2.0):
        beat = wire.Beat(
            memory_used_mib=1, loop_lag_s=0.0, cards=(), sampled_at=None, clock_ahead_s=ahead_s
        )
        house.do(e.AgentBeat(node=N1, session="s-n1", beat=beat))
        shown.append(house.codes)

    assert shown == [[], ["clock_skew"], ["clock_skew"], []]
    assert house.kinds[-2:] == ["node.clock_skew", "node.recovered"]


def test_an_agent_that_is_turned_away_again_and_again_is_told_of_every_ten_minutes(
    house: Comings,
) -> None:
    house.told.clear()
    for _ in range(60):  # 20 minutes
        house.comes(protocol_min=7, protocol_max=7)
        house.waits(20)

    assert house.kinds == ["node.refused", "node.refused"]


def test_the_history_survives_as_the_node_does(house: Comings) -> None:
    house.goes()

    assert [node.link for node in house.changes.nodes] == [house.there.link]
