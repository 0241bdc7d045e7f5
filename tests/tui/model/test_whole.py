import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from eaas.views import ConditionView
from eaas_tui.model.whole import Whole, banner
from tests.rig.views import an_event

LOST = "6 of 8 nodes fell silent within a minute"
LOSS = an_event(5, LOST, kind="controller.mass_loss")
OVER = an_event(6, "the nodes that were silent at once are back", kind="controller.mass_loss_over")
ASKED = ConditionView(code="mass_loss", text=LOST, since="2026-01-01T00:00:00.000Z")


def test_what_the_journal_says_after_the_status_begins_and_ends_a_condition() -> None:
    whole = Whole()
    whole.start((), 4)

    whole.hear((an_event(4, "job 1 runs"), LOSS))
    assert whole.conditions == (ConditionView(code="mass_loss", text=LOST, since=LOSS.at),)

    whole.hear((OVER,))
    assert not whole.conditions


@pytest.mark.parametrize(("asked", "at"), [((), 6), ((ASKED,), 5)])
def test_what_the_status_knows_already_is_not_heard_again(
    asked: tuple[ConditionView, ...], at: int
) -> None:
    whole = Whole()
    whole.start(asked, at)

    whole.hear((LOSS, OVER)[: at - 4])

    assert whole.conditions == asked


def test_a_line_that_comes_twice_counts_once() -> None:
    whole = Whole()
    whole.start((), 4)
    whole.hear((LOSS, OVER))

    whole.hear((LOSS,))

    assert whole.conditions == ()


def test_a_loss_after_a_loss_is_said_once() -> None:
    whole = Whole()
    whole.start((ASKED,), 4)

    whole.hear((LOSS,))

    assert [one.text for one in whole.conditions] == [LOST]


def test_the_same_status_again_is_nothing_new() -> None:
    whole = Whole()

    assert [whole.start((ASKED,), seq) for seq in (4, 5)] == [True, False]
    assert whole.start((), 6)


def test_a_banner_is_broken_between_words_and_says_that_it_was_cut() -> None:
    assert banner((ASKED,), 24, 4) == ["! 6 of 8 nodes fell", "  silent within a minute"]
    assert banner((ASKED,), 24, 1) == ["! 6 of 8 nodes fell ~"]
    assert banner((), 24, 4) == []


@given(st.text(alphabet="ab训 ", max_size=60), st.integers(8, 40), st.integers(1, 4))
def test_no_line_of_a_banner_is_too_wide(words: str, width: int, most: int) -> None:
    rows = banner((ConditionView(code="x", text=words, since=""),), width, most)

    assert len(rows) <= most
    assert all(cell_len(row) <= width for row in rows)
