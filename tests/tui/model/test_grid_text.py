import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from eaas_tui.glyphs import BLOCKS
from eaas_tui.model.grid import Line, Spot, lay_out
from eaas_tui.model.grid_text import (
    Look,
    Wish,
    block_pieces,
    changed_cells,
    head_pieces,
    node_sign,
    pool_pieces,
    spark_of,
)
from eaas_tui.model.picture import Picture, Samples
from tests.rig.pictures import a_card, a_held_card, a_node, a_picture

PICTURE = a_picture(
    a_node("a", a_card(0), a_held_card(1)),
    a_node("训练机器一号", a_card(0), a_held_card(1, user="王芳")),
    a_node("c", a_held_card(0), state="Offline"),
    a_node("cpu"),
)


def words(look: Look) -> str:
    return "".join(text for text, _, _ in look)


def lines(picture: Picture, width: int, spot: Spot | None = None) -> list[str]:
    grid = lay_out(picture, width=width, height=20)
    return [
        words(block_pieces(line.blocks[0], grid.measure, Wish(), spot))
        for line in grid.lines
        if not line.is_pool
    ]


def test_every_node_takes_the_same_cells_whatever_its_name() -> None:
    for width in (20, 60, 80, 200):
        assert len({cell_len(line) for line in lines(PICTURE, width)}) == 1, width


def test_a_node_line_shows_its_cards_and_how_many_are_free() -> None:
    first, offline, cpu, _ = lines(PICTURE, 60)

    assert first.split() == ["a", "·", "free", "30C", "██▊", "a", "68%", "55G", "61C", "1"]
    assert offline.startswith(" !c")
    assert offline.rstrip().endswith("off")
    assert "no cards, 8 of 64 cpus" in cpu


def test_the_selection_is_told_by_a_sign_too() -> None:
    chosen = lines(PICTURE, 80, Spot("default", "a", "GPU-a-1"))

    assert [line[0] for line in chosen] == [">", " ", " ", " "]


def test_each_state_of_a_node_has_its_sign() -> None:
    states = ("Ready", "Draining", "Unassigned", "Offline", "NeedsUpgrade")

    assert len({node_sign(a_node("n", state=state)) for state in states}) == len(states)


@pytest.mark.parametrize(("width", "end"), [(20, "drn"), (40, "Draining"), (100, "Draining")])
def test_a_draining_node_has_a_sign_before_its_name_and_says_so_at_its_end(
    width: int, end: str
) -> None:
    (line,) = lines(a_picture(a_node("vm", a_card(), a_card(1), state="Draining")), width)

    assert line.startswith(" =vm ")
    assert line.rstrip().endswith(f" {end}")


@pytest.mark.parametrize("width", range(20, 140, 7))
def test_no_card_moves_when_its_node_drains(width: int) -> None:
    ready = [a_node(name, *(a_held_card(at) for at in range(4))) for name in ("a", "a-long-name")]
    drains = [ready[0], replace(ready[1], state="Draining")]

    before, after = (lines(a_picture(*nodes), width) for nodes in (ready, drains))
    measure = lay_out(a_picture(*ready), width=width, height=20).measure
    cells = slice(2, 2 + measure.name + 4 * measure.cell)

    assert [line[cells] for line in before] == [line[cells] for line in after]


@pytest.mark.parametrize("width", range(20, 60, 3))
def test_the_count_of_nodes_is_apart_from_the_first_card(width: int) -> None:
    picture = a_picture(a_node("a", a_card(0)), *(a_node(f"b{at}") for at in range(9)))
    grid = lay_out(picture, width=width, height=20)

    (title, _), *_ = head_pieces(picture, grid.measure, width, "load")

    assert title.endswith(" ")


def test_a_pool_line_counts_and_says_whether_it_is_open() -> None:
    line = Line(pool="default", nodes=("a", "c"))

    closed = words(pool_pieces(line, PICTURE, Spot("default"), is_closed=True))
    opened = words(pool_pieces(line, PICTURE, None, is_closed=False))

    assert closed == ">+ default  2 nodes, 2 of 5 cards free, 0 running, 0 waiting"
    assert opened.startswith(" - default")


def test_the_head_names_the_columns() -> None:
    picture = a_picture(a_node("a", a_card(0), a_card(1)))
    measure = lay_out(picture, width=90, height=9).measure

    head = "".join(text for text, _ in head_pieces(picture, measure, 90, "user"))

    assert head.split() == ["NODES", "1", "G0", "G1", "free", "shows", "users"]


def test_simulated_cards_are_called_so() -> None:
    line = Line(pool="default", nodes=("a",))
    half = a_picture(a_node("a", a_card(0, simulated=True), a_card(1)))
    whole = a_picture(a_node("a", a_card(0, simulated=True)))

    assert "2 cards (1 simulated)" in words(pool_pieces(line, half, None, is_closed=False))
    assert "1 of 1 simulated card free" in words(pool_pieces(line, whole, None, is_closed=False))


def test_only_the_columns_that_changed_are_painted_again() -> None:
    one: Look = [("ab", "name", False), ("cd", "low", False), ("ef", "low", False)]
    other: Look = [one[0], ("xy", "low", False), one[2]]

    assert changed_cells(one, one) == (0, 0)
    assert changed_cells(one, other) == (2, 4)
    assert changed_cells(one, one[:2]) == (4, 6)


PIECE = st.tuples(
    st.sampled_from(["a", "bc", "王"]), st.sampled_from(["low", "high"]), st.booleans()
)
LOOKS = st.lists(PIECE, max_size=6)


def cells(look: Look) -> list[tuple[str, str, bool]]:
    """One for each column; a wide sign's second one is empty."""
    return [
        (cell, tone, on)
        for text, tone, on in look
        for sign in text
        for cell in (sign, *[""] * (cell_len(sign) - 1))
    ]


@given(LOOKS, LOOKS)
def test_beside_the_columns_that_changed_nothing_has(was: Look, now: Look) -> None:
    left, right = changed_cells(was, now)
    before, after = cells(was), cells(now)

    assert before[:left] == after[:left]
    assert before[right:] == after[right:]


def test_a_sparkline_is_the_mean_of_the_cards() -> None:
    card, other = a_card(0), a_card(1)
    samples = {
        card.uuid: Samples(every_s=5.0, utilization_pct=(0, 100), memory_pct=(0, 0)),
        other.uuid: Samples(every_s=5.0, utilization_pct=(0, 0), memory_pct=(0, 0)),
    }

    assert spark_of([card, other], samples, 2, BLOCKS) == "▁▅"
