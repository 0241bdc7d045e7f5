import pytest
from rich.cells import cell_len

from eaas_tui.glyphs import ASCII, BLOCKS, BRAILLE, Glyphs, bar, glyphs_for


@pytest.mark.parametrize("glyphs", [BLOCKS, BRAILLE, ASCII], ids=lambda glyphs: glyphs.name)
def test_every_sign_is_one_cell_wide(glyphs: Glyphs) -> None:
    signs = glyphs.rising + glyphs.growing + glyphs.ellipsis + glyphs.dot + glyphs.line

    assert cell_len(signs) == len(signs)


def test_the_ascii_set_is_ascii() -> None:
    assert (ASCII.rising + ASCII.growing + ASCII.ellipsis + ASCII.dot + ASCII.line).isascii()


@pytest.mark.parametrize(
    ("ascii_only", "encoding", "block_cells", "chosen"),
    [
        (False, "utf-8", 1, BLOCKS),
        (False, "UTF-8", None, BLOCKS),
        (False, "utf-8", 2, BRAILLE),
        (False, "ascii", 1, ASCII),
        (True, "utf-8", 1, ASCII),
    ],
)
def test_a_terminal_gets_the_richest_set_that_it_draws_right(
    ascii_only: bool, encoding: str, block_cells: int | None, chosen: Glyphs
) -> None:
    found = glyphs_for(ascii_only=ascii_only, encoding=encoding, block_cells=block_cells)

    assert found == chosen


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.01, 0.5, 0.99, 1.0, 7.0, None])
def test_a_bar_is_as_wide_as_asked_for(share: float | None) -> None:
    assert len(bar(share, 10, BLOCKS)) == 10


def test_a_full_bar_is_full_and_an_empty_one_blank() -> None:
    assert bar(1.0, 4, ASCII) == "####"
    assert bar(0.0, 4, ASCII) == "    "
