from eaas_agent.turn import Turn
from tests.rig.agents import an_order
from tests.rig.turns import Desk


def test_only_strangers_are_looked_up() -> None:
    asked: list[set[str]] = []

    def look_up(uids: set[str]) -> dict[str, int]:
        asked.append(uids)
        return dict.fromkeys(uids, 3)

    stranger = an_order()
    turn = Turn(Desk().node, look_up, 0.0)

    assert turn.seen((stranger,)) == {stranger.uid: 3}
    assert asked == [{stranger.uid}]


def test_what_this_turn_touched_counts_as_seen() -> None:
    order = an_order(attempt=4)
    turn = Turn(Desk().node, lambda uids: dict.fromkeys(uids, 3), 0.0)

    turn.touch(order)

    assert turn.seen((order,)) == {order.uid: 4}


def test_a_nodes_own_limit_shortens_the_keeping_time() -> None:
    desk = Desk()
    desk.node.keep_at_most_s = 60.0
    turn = desk.take()

    turn.touch(an_order(keep_s=3600.0))

    assert turn.changes.touched[0].keep_s == 60.0
