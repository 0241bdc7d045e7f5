from contextlib import ExitStack

from eaas_daemon.agents.handshakes import AT_ONCE, PER_NODE, WITHIN_S, Handshakes, TooManyHandshakes


class Timed:
    """Handshakes and their clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.handshakes = Handshakes(lambda: self.now)

    def comes(self, node: str | None) -> bool:
        """Let a node greet, and tell whether it could."""
        try:
            with self.handshakes.one(node):
                return True
        except TooManyHandshakes:
            return False


def test_the_twenty_first_has_to_wait_until_one_has_greeted() -> None:
    timed = Timed()
    with ExitStack() as stack:
        under_way = [stack.enter_context(timed.handshakes.one(None)) for _ in range(AT_ONCE)]
        assert not timed.comes(None)

        under_way[0].over()
        under_way[0].over()

        with timed.handshakes.one(None):
            assert not timed.comes(None)
    assert timed.comes(None)


def test_a_node_that_comes_too_often_waits_and_holds_nobody_else_up() -> None:
    timed = Timed()

    assert [timed.comes("n1") for _ in range(PER_NODE + 2)] == [True] * PER_NODE + [False] * 2
    assert timed.comes("n2")
    timed.now += WITHIN_S
    assert timed.comes("n1")


def test_who_is_turned_away_does_not_count_as_being_greeted() -> None:
    timed = Timed()
    for _ in range(AT_ONCE * 2):
        timed.comes("n1")

    assert all(timed.comes(f"n{number}") for number in range(2, 2 + AT_ONCE))
