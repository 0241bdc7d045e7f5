from datetime import UTC
from typing import Any

import pytest
from rich.cells import cell_len

from eaas.lifecycle import JobState
from eaas.units import utc_text
from eaas.views import PhaseView
from eaas.why_views import EtaView
from eaas_tui.model import format as words
from tests.rig.views import AT, a_held_card, a_job, a_reason


def test_durations_take_two_units_at_most_and_unknown_is_a_dash() -> None:
    shown = [words.duration(seconds) for seconds in (None, 0.4, 37, 724, 62940, 266400)]

    assert shown == ["-", "0s", "37s", "12m4s", "17h29m", "3d2h"]


def test_ages_sizes_and_shares() -> None:
    assert words.age(utc_text(AT - 90), AT) == "1m30s"
    assert words.age(None, AT) == words.age("yesterday", AT) == "-"
    assert [words.mib(size) for size in (None, 512, 1536, 24576)] == [
        "-",
        "512MiB",
        "1.5GiB",
        "24GiB",
    ]
    assert [words.percent(share) for share in (None, 0, 99.6)] == ["-", "0%", "100%"]


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z", "soon"])
def test_what_has_no_date_in_every_zone_is_no_moment(at: str) -> None:
    assert words.unix(at) is None


def test_the_time_of_day_is_that_of_the_zone() -> None:
    assert words.clock_time(utc_text(AT), UTC) == "00:00:00"
    assert words.clock_time("soon") == "-"


@pytest.mark.parametrize("state", JobState)
def test_every_state_has_a_sign_of_one_cell_in_both_sets(state: JobState) -> None:
    assert cell_len(words.state_sign(state)) == 1
    assert words.state_sign(state, ascii=True).isascii()


@pytest.mark.parametrize("ascii", [False, True])
def test_no_two_states_share_a_sign(ascii: bool) -> None:
    assert len({words.state_sign(state, ascii=ascii) for state in JobState}) == len(JobState)


def test_a_state_this_version_does_not_know_is_shown_as_it_is() -> None:
    assert words.state_cell(a_job(state="Suspended")) == "? Suspended"
    assert words.state_tone("Suspended") == "plain"


def test_the_state_says_how_far_a_start_is_and_how_a_failure_ended() -> None:
    pulling = PhaseView(name="pulling", done_bytes=40, total_bytes=100)

    assert words.state_cell(a_job(state="Running")) == "● Running"
    assert words.state_cell(a_job(state="Starting", phase=pulling)) == "◐ pulling 40%"
    assert words.state_cell(a_job(state="Failed", exit_code=137), ascii=True) == "x Failed 137"


def test_a_running_job_gets_older_and_one_that_ended_does_not() -> None:
    assert words.run_s(a_job(state="Running", started_at=utc_text(AT - 50)), AT + 10) == 60
    assert words.run_s(a_job(state="Failed", run_s=40.0), AT + 10) == 40
    assert words.run_time(a_job(state="Pending"), AT) == "-"


def test_cards_are_asked_for_or_held() -> None:
    assert words.gpus(a_job(spec={"gpus": 4})) == 4
    assert words.gpus(a_job(state="Running", spec={})) == 1
    assert words.gpus(a_job(spec={"gpus": None})) == 0


def test_cards_in_a_row_are_drawn_together() -> None:
    cards = tuple(a_held_card(index) for index in (3, 0, 1, 6))

    assert words.card_numbers(cards) == "0-1,3,6"
    assert words.card_numbers((*cards, a_held_card(index=None))) == "0-1,3,6,?"
    assert words.where(a_job(state="Running", cards=cards)) == "n1:0-1,3,6"
    assert words.where(a_job(state="Running", cards=())) == "n1"
    assert words.where(a_job()) == "-"


WHYS: list[tuple[dict[str, Any], str]] = [
    ({"state": "Pending", "position": 3}, "#3 no room: n1 has 0 free cards, 1 asked for"),
    ({"position": 4, "reason": a_reason("user_cap", "in queue x")}, "#4 user's cap: in queue x"),
    ({"position": 5, "reason": a_reason("node_offline", "n1 is off")}, "#5: n1 is off"),
    ({"state": "Pending", "position": 3, "reason": None}, "#3"),
    ({"state": "Pending", "position": None, "reason": a_reason("not_before", "waits")}, "waits"),
    ({"state": "Starting"}, ""),
    ({"state": "Running"}, ""),
    ({"state": "Running", "timeout_s": 3650.0}, "ends within 1h"),
    ({"state": "Running", "timeout_s": 10.0}, "ends within 0s"),
    ({"state": "Unknown", "reason": a_reason(text="n1 has been silent")}, "n1 has been silent"),
    ({"state": "Succeeded"}, ""),
    ({"state": "Failed", "exit_code": 2}, "exited with code 2"),
    ({"state": "Failed", "reason": a_reason(text="killed")}, "killed"),
]


@pytest.mark.parametrize(("job", "phrase"), WHYS)
def test_why_a_job_stands_where_it_does(job: dict[str, Any], phrase: str) -> None:
    assert words.why(a_job(**job), AT) == phrase


def test_what_a_start_is_doing() -> None:
    pulling = PhaseView(name="pulling", done_bytes=2 << 30, total_bytes=4 << 30, eta_s=95.0)
    job = a_job(state="Starting", phase=pulling)

    assert words.why(job, AT) == "pulling 50% of 4GiB, 1m35s left"
    assert words.progress(PhaseView(name="creating")) == "creating"


def test_when_it_starts_and_how_sure_that_is() -> None:
    at = utc_text(AT + 2400)

    assert words.eta(EtaView(at=at, in_s=2400, kind="certain"), AT) == "in 40m"
    assert words.eta(EtaView(at=at, in_s=2400, kind="estimate"), AT + 60) == "in about 39m"
    assert words.eta(EtaView(at=at, in_s=2400, kind="certain"), AT + 2500) == "any moment"
    assert words.eta(EtaView(at=None, in_s=None, kind="unknown"), AT) == "nobody can say when"


def test_a_count_stands_beside_its_limit() -> None:
    assert (words.of_limit(3, None), words.of_limit(3, 8)) == ("3", "3/8")
