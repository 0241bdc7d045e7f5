import pytest
from msgspec.structs import replace

from tests.eaas.cli.conftest import Type
from tests.eaas.client.test_bookings import BOOKING
from tests.rig.stand_in import StandIn

ROUTE = "/api/v1/bookings"


@pytest.fixture
def booked(controller: StandIn) -> StandIn:
    remark = "nobody called bob has used this controller so far"
    controller.answers[f"POST {ROUTE}"] = replace(BOOKING, remarks=(remark,))
    controller.answers[f"GET {ROUTE}"] = {"items": [BOOKING], "next": None}
    controller.answers[f"GET {ROUTE}/3"] = BOOKING
    controller.answers[f"DELETE {ROUTE}/3"] = BOOKING
    return controller


def test_what_is_typed_is_asked_for_and_a_doubt_is_told_beside_the_answer(
    typing: Type, booked: StandIn
) -> None:
    said = typing(
        *("book", "--pool", "p", "--gpus", "2", "--from", "2026-03-01T13:00:00Z", "--for", "3h"),
        *("--user", "bob", "--gpu-type", "3090", "--note", "a demo"),
    )

    assert said.code == 0
    assert booked.asked[0].body == {
        "gpus": 2,
        "pool": "p",
        "user": "bob",
        "queue": None,
        "start": "2026-03-01T13:00:00.000Z",
        "end": None,
        "for_s": 10800.0,
        "gpu_type": "3090",
        "note": "a demo",
    }
    assert "cards:    a 0,1" in said.out
    assert "nobody called bob" in said.err


def test_now_is_the_controllers_now_and_an_end_may_stand_in_place_of_a_length(
    typing: Type, booked: StandIn
) -> None:
    typing("book", "--gpus", "1", "--to", "2099-01-01T10:00:00Z", "--queue", "p/class")

    body = booked.asked[0].body
    assert (body["start"], body["end"], body["for_s"]) == (None, "2099-01-01T10:00:00.000Z", None)
    assert body["queue"] == "p/class"


@pytest.mark.parametrize(
    "words",
    [
        ("--gpus", "1"),
        ("--gpus", "1", "--for", "1h", "--to", "10:00"),
        ("--for", "1h"),
        ("--gpus", "1", "--for", "3"),
        ("--gpus", "1", "--for", "1h", "--from", "noon"),
    ],
)
def test_what_can_not_be_meant_is_not_asked(
    typing: Type, booked: StandIn, words: tuple[str, ...]
) -> None:
    assert typing("book", *words).code == 2
    assert booked.asked == []


def test_list_show_and_cancel(typing: Type, booked: StandIn) -> None:
    assert "ahead, 1 missing" in typing("book", "list").out
    assert '"missing": 1' in typing("book", "list", "--all", "-o", "json").out
    assert booked.asked[-1].query == {"all": "1"}
    assert "card 1 of a is held by job 12" in typing("book", "show", "3").out
    assert typing("book", "cancel", "3").out == "booking 3 is cancelled\n"

    booked.answers[f"DELETE {ROUTE}/3"] = replace(BOOKING, state="over")
    assert typing("book", "cancel", "3").out == "booking 3 was over already\n"


@pytest.mark.parametrize("verb", ["show", "cancel"])
@pytest.mark.parametrize("typed", ["abc", "0", "1.5", "²", "9" * 30])
def test_what_is_no_bookings_number_says_where_they_are(
    typing: Type, verb: str, typed: str
) -> None:
    refused = typing("book", verb, typed)

    assert refused.code == 2
    assert f"'{typed}' is no booking's number; mini-eaas book list shows them" in refused.err
