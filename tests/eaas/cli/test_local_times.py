import time
from collections.abc import Iterator
from datetime import datetime

import click
import pytest

from eaas.cli.local_times import local, moment_here, moment_of, span_here, zone_of


@pytest.fixture(params=["Europe/Berlin"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in that time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("14:00", "2026-12-01T14:00+01:00"),
        ("9:05", "2026-12-02T09:05+01:00"),
        ("13:30", "2026-12-01T13:30:20+01:00"),
        ("now", "2026-12-01T13:30:20+01:00"),
        ("2026-12-24 18:00", "2026-12-24T18:00+01:00"),
        ("2026-07-01T18:00", "2026-07-01T18:00+02:00"),
        ("2026-12-01T14:00:00Z", "2026-12-01T15:00+01:00"),
        ("2026-12-01T14:00:00-05:00", "2026-12-01T20:00+01:00"),
    ],
)
@pytest.mark.usefixtures("zone")
def test_a_clock_time_is_the_next_one_here_and_a_date_is_meant_here_too(
    text: str, meant: str
) -> None:
    now = at("2026-12-01T13:30:20+01:00")

    assert moment_of(text, now) == datetime.fromisoformat(meant)


@pytest.mark.usefixtures("zone")
def test_an_end_is_the_next_such_time_after_the_start() -> None:
    start = moment_of("22:00", at("2026-12-01T13:30+01:00"))

    assert moment_of("2:00", start) == datetime.fromisoformat("2026-12-02T02:00+01:00")


@pytest.mark.parametrize(
    "text", ["noon", "25:00", "14", "2026-13-01 10:00", "2026-02-30T10:00:00Z"]
)
@pytest.mark.usefixtures("zone")
def test_what_is_no_time_is_refused_as_mistyped(text: str) -> None:
    with pytest.raises(click.UsageError, match=r"is no time|not a time that exists"):
        moment_of(text, at("2026-12-01T13:30+01:00"))


@pytest.mark.usefixtures("zone")
def test_a_span_names_day_and_zone_and_both_zones_where_the_clocks_change() -> None:
    day = span_here("2026-12-01T13:00:00.000Z", "2026-12-01T16:00:00.000Z")
    night = span_here("2026-12-01T21:00:00.000Z", "2026-12-02T01:00:00.000Z")
    change = span_here("2026-10-24T22:00:00.000Z", "2026-10-25T11:00:00.000Z")

    assert day == "Tue 2026-12-01 14:00 to 17:00 CET (UTC+01:00)"
    assert night == "Tue 2026-12-01 22:00 to Wed 2026-12-02 02:00 CET (UTC+01:00)"
    assert change == "Sun 2026-10-25 00:00 CEST (UTC+02:00) to 12:00 CET (UTC+01:00)"
    assert moment_here("2026-12-01T13:00:00.000Z") == "2026-12-01 14:00"


@pytest.mark.parametrize(
    ("zone", "name"),
    [("UTC", "UTC"), ("Asia/Kolkata", "IST (UTC+05:30)"), ("America/Sao_Paulo", "UTC-03:00")],
    indirect=["zone"],
)
@pytest.mark.usefixtures("zone")
def test_a_zone_is_told_with_how_far_it_is_from_utc(name: str) -> None:
    assert zone_of(local(1_700_000_000)) == name
