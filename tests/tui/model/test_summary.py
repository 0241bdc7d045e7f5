import pytest

from eaas.node_views import CARD_SETTLING
from eaas.views import ReasonView
from eaas_tui.model.picture import EMPTY, Link
from eaas_tui.model.summary import Part, link_part, pool_parts, short_time
from tests.rig.pictures import a_card, a_held_card, a_job, a_node, a_picture


def test_the_pool_is_counted_by_what_people_ask_first() -> None:
    node = a_node("n1", a_held_card(0, load=60), a_held_card(1, load=80), a_card(2))
    jobs = {1: a_job(1, state="Running"), 2: a_job(2), 3: a_job(3), 4: a_job(4, state="Failed")}
    texts = [part.text for part in pool_parts(a_picture(node, jobs=jobs))]

    assert texts == ["Mini EaaS", "RUN 1", "WAIT 2", "GPU 2/3 held", "util 70%", "FAIL 1"]


def test_what_is_out_of_order_is_named_by_its_word() -> None:
    node = a_node("n1", a_card(0, state="foreign"), a_card(1, state="sick"), state="Offline")
    texts = [part.text for part in pool_parts(a_picture(node))]

    assert texts[4:] == ["! 1 offline", "! 1 foreign", "! 1 sick"]


def test_loads_that_nobody_measured_are_not_taken_for_zero() -> None:
    node = a_node("n1", a_held_card(0, load=None))

    assert not [part for part in pool_parts(a_picture(node)) if part.text.startswith("util")]


def test_an_empty_picture_has_a_line_too() -> None:
    assert [part.text for part in pool_parts(EMPTY)][:4] == [
        *("Mini EaaS", "RUN 0", "WAIT 0", "GPU 0/0 held"),
    ]


@pytest.mark.parametrize(
    ("link", "part"),
    [
        (Link(state="live", since=5.0), Part("* live", "good")),
        (Link(state="replay", since=5.0), Part("> replay", "warn")),
        (Link(state="connecting", since=0.0), Part("... connecting", "muted")),
        (
            Link(state="away", since=88.0, text="nobody answers"),
            Part("! away since 12s, trying again: nobody answers", "bad"),
        ),
        (Link(state="refused", since=5.0, text="no token"), Part("! refused: no token", "bad")),
    ],
)
def test_how_it_stands_with_the_controller_is_said_in_words(link: Link, part: Part) -> None:
    assert link_part(link, 100.0) == part


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0s"), (59.9, "59s"), (60, "1m"), (3599, "59m"), (7500, "2h05m"), (200000, "2d")],
)
def test_a_time_is_short(seconds: float, text: str) -> None:
    assert short_time(seconds) == text


def test_a_card_that_a_job_has_just_left_is_not_out_of_order() -> None:
    reason = ReasonView(code=CARD_SETTLING, text="released a moment ago and not seen clean yet")
    freed, dirty = a_card(0, state="dirty", reason=reason), a_card(1, state="dirty")

    texts = [part.text for part in pool_parts(a_picture(a_node("n1", freed, dirty)))]

    assert "! 1 dirty" in texts
