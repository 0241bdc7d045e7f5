import pytest
from rich.cells import cell_len

from eaas.lifecycle import CardState
from eaas.node_views import CARD_SETTLING
from eaas.views import ReasonView
from eaas_tui.glyphs import ASCII, BLOCKS, BRAILLE, Glyphs
from eaas_tui.model.card_cells import (
    WIDTHS,
    Shows,
    cell,
    holder,
    lying_bar,
    parts_bar,
    sign,
    sparkline,
    step,
    tone,
)
from tests.rig.pictures import a_card, a_held_card, a_process
from tests.rig.views import a_claim

BOOKED = ReasonView(code="booking", text="booked for bob 2026-03-01 08:00 to 12:00 UTC")
EXCLUDED = ReasonView(code="card_excluded", text="excluded by root")
SHARES = (a_claim(1, memory_mib=40960), a_claim(2, "bob", memory_mib=20480))
EVERY_STATE = [
    a_card(),
    a_held_card(),
    a_held_card(state="shared", claims=SHARES, memory_claimed_mib=61440),
    a_card(state="foreign", processes=(a_process("bob"),), utilization_pct=97),
    a_card(state="dirty", memory_used_mib=23 * 1024),
    a_card(state="sick", utilization_pct=None, temperature_c=None),
    a_card(state="excluded"),
    a_card(state="unknown", utilization_pct=None, memory_used_mib=None, memory_total_mib=None),
    a_held_card(reason=EXCLUDED),
    a_held_card(load=None, memory_used_mib=None),
    a_held_card(user="王小明", job=123456),
    a_card(state="foreign", processes=(a_process(None),)),
]


@pytest.mark.parametrize("shows", ["load", "user", "job"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("glyphs", [BLOCKS, BRAILLE, ASCII], ids=lambda it: it.name)
def test_a_cell_takes_exactly_its_columns(width: int, shows: Shows, glyphs: Glyphs) -> None:
    wrong = [
        text for card in EVERY_STATE if cell_len(text := cell(card, width, shows, glyphs)) != width
    ]

    assert wrong == []


@pytest.mark.parametrize("glyphs", [BLOCKS, BRAILLE, ASCII], ids=lambda it: it.name)
def test_every_state_has_a_sign_of_its_own(glyphs: Glyphs) -> None:
    one_of_each = [a_card(state=state) for state in CardState]

    signs = {sign(card, glyphs) for card in one_of_each}

    assert len(signs) == len(CardState)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_held_card_that_is_excluded_is_marked_at_every_width(width: int) -> None:
    assert cell(a_held_card(reason=EXCLUDED), width).startswith("x")


def test_a_held_card_never_looks_like_another_state_however_busy_it_is() -> None:
    others = {sign(a_card(state=state)) for state in CardState if state != "held"}

    shown = {sign(a_held_card(load=load)) for load in (None, *range(101))}

    assert shown & others == set()


@pytest.mark.parametrize(
    ("width", "texts"),
    [
        (1, ["·", "▆", "+", "F", "D", "!", "x", "?"]),
        (3, ["·  ", "▆68", "+68", "F97", "D23", "!  ", "x  ", "?  "]),
        (5, ["·    ", "▆ 68 ", "+ 68 ", "F 97 ", "D23G ", "!    ", "x    ", "?    "]),
        (
            8,
            ["· free  ", "██▊  68 ", "+aab 68 ", "F bob   ",
             "D dirty ", "! sick  ", "x excl  ", "? unkn  "],
        ),
        (
            15,
            ["· free 30C     ", "██  a  68% 55G ", "+aab·  68% 55G ", "F bob  97%  0G ",
             "D dirty 23G    ", "! sick         ", "x excluded 30C ", "? unknown 30C  "],
        ),
    ],
)  # fmt: skip
def test_what_stands_in_a_cell_of_each_width(width: int, texts: list[str]) -> None:
    assert [cell(card, width) for card in EVERY_STATE[:8]] == texts


def test_the_temperature_comes_with_the_widest_cells() -> None:
    assert cell(a_held_card(), 20) == "██▊  a  68% 55G 61C "


def test_users_or_job_numbers_stand_in_the_cells_on_demand() -> None:
    card = a_held_card(user="bob", job=42)

    assert [cell(card, 8, shows) for shows in ("user", "job")] == ["bob  68 ", "42   68 "]
    assert [cell(card, 5, shows) for shows in ("user", "job")] == ["▆bob ", "▆42  "]
    assert [cell(card, 1, shows) for shows in ("user", "job")] == ["b", "2"]


def test_a_shared_card_shows_who_has_how_much_of_it_and_what_is_left() -> None:
    shared = EVERY_STATE[2]
    tiny = tuple(a_claim(job, user, memory_mib=16) for job, user in enumerate("abc", 1))

    assert parts_bar(shared, 8) == "aaaabb··"
    assert parts_bar(shared, 2) == "ab"
    mine = tuple(a_claim(job, memory_mib=20480) for job in (1, 2, 3))
    assert parts_bar(a_held_card(claims=mine, memory_claimed_mib=61440), 8) == "aaAAaa··"
    assert parts_bar(a_held_card(claims=tiny, memory_claimed_mib=48), 6) == "abc···"
    assert [cell(shared, 8, shows) for shows in ("user", "job")] == ["+al  68 ", "+1   68 "]
    assert [cell(shared, 20, shows) for shows in ("user", "job")] == [
        "+alice  68% 55G 61C ",
        "+1+1    68% 55G 61C ",
    ]
    assert [cell(shared, 1, shows) for shows in ("user", "job")] == ["a", "1"]


def test_a_task_of_an_array_is_named_as_in_the_lists_where_there_is_room() -> None:
    task = a_held_card(claims=(a_claim(514, ref="512[2]"),))

    drawn = [cell(task, width, "job") for width in (1, 4, 20)]

    assert drawn[:2] == ["4", cell(a_held_card(claims=(a_claim(514),)), 4, "job")]
    assert "512[2]" in drawn[2]


def test_a_users_initial_is_never_the_sign_of_a_state() -> None:
    names = ["Fred", "Dora", "xaver", "王芳"]

    assert [cell(a_held_card(user=name), 1, "user") for name in names] == ["f", "d", "X", "@"]


def test_the_holder_of_a_foreign_card_is_who_runs_the_process() -> None:
    assert holder(EVERY_STATE[3], "load") == "bob"


def test_my_own_cards_have_a_tone_of_their_own() -> None:
    assert [tone(a_held_card(user="me"), me) for me in ("me", "you")] == ["mine", "mid"]


def test_an_unknown_load_is_not_drawn_as_zero() -> None:
    assert (lying_bar(None, 3), lying_bar(0, 3)) == ("---", "▏  ")
    assert (step(None), step(0), step(100)) == ("=", "▁", "█")


def test_a_sparkline_squeezes_the_means_and_leaves_gaps_blank() -> None:
    assert sparkline([[0, 0, 100, 100, None, None]], 3) == "▁█ "


def test_rows_of_a_sparkline_end_at_the_same_moment() -> None:
    assert sparkline([[0, 0, 0, 0], [100, 100]], 2) == "▁▅"
    assert sparkline([], 4) == "    "


@pytest.mark.parametrize("width", [1, 3, 5, 8, 20])
def test_a_card_that_a_job_has_just_left_alarms_nobody(width: int) -> None:
    reason = ReasonView(code=CARD_SETTLING, text="released a moment ago and not seen clean yet")
    card = a_card(0, state="dirty", reason=reason, memory_used_mib=4096)

    assert cell(card, width).rstrip() in (":", ": freed", ": freed 30C")
    assert tone(card) == "free"


def test_a_free_card_that_is_booked_now_has_a_sign_and_one_booked_later_has_not() -> None:
    now, later = a_card(reason=BOOKED, offered=False), a_card(reason=BOOKED)

    assert (sign(now), sign(later)) == ("B", "·")
    assert [cell(now, width).rstrip() for width in (1, 4, 15)] == ["B", "B", "B booked 30C"]
    assert cell(later, 15).rstrip() == "· free 30C"
