from eaas.wire.from_agent import AttemptStopping, Spooled
from eaas_agent.spool import IN_MEMORY, WINDOW, Spool


class Shelf:
    """A spool with the committed facts behind it."""

    def __init__(self) -> None:
        self.stored: list[Spooled] = []
        self.looked_up = 0
        self.spool = Spool("spool", last_seq=0, lookup=self._look_up)

    def commit(self, count: int) -> None:
        new = [
            Spooled(seq, AttemptStopping(uid="job", attempt=1, at=0.0))
            for seq in range(len(self.stored) + 1, len(self.stored) + count + 1)
        ]
        self.stored += new
        self.spool.committed(new)

    def next_seqs(self) -> list[int]:
        facts = self.spool.next_facts()
        return [] if facts is None else [spooled.seq for spooled in facts.facts]

    def _look_up(self, after: int, limit: int) -> tuple[Spooled, ...]:
        self.looked_up += 1
        return tuple(self.stored[after : after + limit])


def test_facts_go_out_in_order_and_once() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.commit(3)

    assert shelf.next_seqs() == [1, 2, 3]
    assert shelf.next_seqs() == []


def test_nothing_goes_out_without_a_connection() -> None:
    shelf = Shelf()
    shelf.commit(3)

    assert shelf.next_seqs() == []


def test_no_more_than_a_window_is_under_way() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.commit(WINDOW + 10)

    assert len(shelf.next_seqs()) == WINDOW
    assert shelf.next_seqs() == []
    shelf.spool.acked(4)
    assert shelf.next_seqs() == [WINDOW + 1, WINDOW + 2, WINDOW + 3, WINDOW + 4]


def test_a_new_connection_begins_after_what_the_controller_has() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.commit(5)
    shelf.next_seqs()
    shelf.spool.disconnected()

    shelf.spool.connected(2)

    assert shelf.next_seqs() == [3, 4, 5]


def test_a_controller_out_of_a_backup_hears_again_what_it_lost() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.commit(5)
    shelf.next_seqs()
    shelf.spool.acked(5)

    shelf.spool.connected(1)

    assert shelf.next_seqs() == [2, 3, 4, 5]


def test_what_fell_out_of_memory_is_read_back_without_a_gap() -> None:
    shelf = Shelf()
    shelf.commit(IN_MEMORY + 500)
    shelf.spool.connected(0)
    sent: list[int] = []

    while seqs := shelf.next_seqs():
        sent += seqs
        shelf.spool.acked(seqs[-1])

    assert sent == list(range(1, IN_MEMORY + 501))


def test_fresh_facts_come_from_memory() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.commit(2)

    shelf.next_seqs()

    assert shelf.looked_up == 0


def test_an_acknowledgement_of_more_than_was_sent_is_not_believed() -> None:
    shelf = Shelf()
    shelf.spool.connected(0)
    shelf.spool.acked(100)
    shelf.commit(2)

    assert shelf.next_seqs() == [1, 2]
