from statistics import median

from msgspec.structs import replace
from rich.cells import cell_len

from eaas_tui.model.grid import Spot, lay_out
from eaas_tui.model.grid_scene import Scene, Sparks, seen
from eaas_tui.model.grid_text import Wish
from eaas_tui.model.picture import EMPTY, Picture
from tests.rig.costs import costing
from tests.rig.pictures import a_big_picture

FRAME_S = 0.015


def a_scene(picture: Picture, width: int, height: int, spot: Spot | None = None) -> Scene:
    grid = lay_out(picture, width=width, height=height - 2)
    return Scene(picture=picture, grid=grid, wish=Wish(), width=width, height=height, spot=spot)


def words(scene: Scene) -> list[str]:
    return ["".join(text for text, _, _ in look) for look in seen(scene, Sparks())]


def test_a_scene_has_exactly_its_height_in_lines() -> None:
    for picture in (EMPTY, a_big_picture(3, 8), a_big_picture(100, 8)):
        for width, height in ((20, 1), (20, 3), (80, 7), (200, 40)):
            assert len(words(a_scene(picture, width, height))) == height


def test_the_last_line_is_about_what_the_cursor_is_on() -> None:
    picture = a_big_picture(3, 8)

    about_card = words(a_scene(picture, 80, 9, Spot("default", "node00", "GPU-node00-1")))
    about_node = words(a_scene(picture, 80, 9, Spot("default", "node00")))

    assert "node00 card 1  NVIDIA H100  shared" in about_card[-1]
    assert "node00  Ready  1 of 8 cards free" in about_node[-1]


def test_a_pools_line_that_is_cut_says_so() -> None:
    line = words(a_scene(a_big_picture(3, 8), 40, 9))[1]

    assert cell_len(line) == 40
    assert line.endswith("~")


def test_wide_lines_end_in_the_last_quarter_of_an_hour() -> None:
    wide = words(a_scene(a_big_picture(2, 2), 140, 9))

    assert "load, 15 min" in wide[1]
    assert cell_len(wide[2]) <= 140
    assert wide[2].rstrip()[-1] in "▁▂▃▄▅▆▇█"


def test_a_sparkline_is_made_once_for_each_sample() -> None:
    sparks, picture = Sparks(), a_big_picture(1, 2)
    scene = a_scene(picture, 140, 9)
    line = scene.grid.lines[0]

    assert sparks.of(scene, line, None, 20) is sparks.of(scene, line, None, 20)


def test_a_hundred_nodes_of_eight_cards_are_drawn_within_a_frame() -> None:
    sparks = Sparks()
    pictures = [a_big_picture(100, 8, seq=seq) for seq in range(5)]
    seen(a_scene(pictures[0], 200, 38), sparks)

    took = []
    for picture in pictures:
        picture = replace(picture, samples=pictures[0].samples)
        with costing() as cost:
            seen(a_scene(picture, 200, 38), sparks)
        took.append(cost.s)

    assert median(took) < FRAME_S
