import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.units import (
    UnitError,
    format_duration,
    format_memory_mib,
    moment_text,
    parse_duration_s,
    parse_memory_mib,
    parse_utc,
    rough_duration,
    rough_memory_mib,
    utc_text,
)


@pytest.mark.parametrize(
    ("text", "mib"),
    [
        ("20GiB", 20480),
        ("512MiB", 512),
        ("1.5GB", 1431),
        ("8g", 8192),
        ("20Gi", 20480),
        ("20 gib", 20480),
        (" 20GiB ", 20480),
        ("1.5GiB", 1536),
        ("2TiB", 2 * 1024 * 1024),
        ("1B", 1),
        ("0MiB", 0),
        ("1048577b", 2),
    ],
)
def test_a_size_is_read_in_mib_and_rounded_up(text: str, mib: int) -> None:
    assert parse_memory_mib(text) == mib


@pytest.mark.parametrize(
    ("value", "suggestion"),
    [("20", "20GiB"), (20, "20GiB"), (32768, "32768MiB"), (34359738368, "34359738368B")],
)
def test_a_size_without_a_unit_is_refused_with_what_to_write(
    value: str | int, suggestion: str
) -> None:
    with pytest.raises(UnitError, match=f"has no unit: write {suggestion}") as refused:
        parse_memory_mib(value)

    assert refused.value.suggestion == suggestion


@pytest.mark.parametrize(
    "value",
    ["", "GiB", "-1GiB", "1,5GiB", "20GiBs", "1e3MiB", "٢GiB", "20XB", True],
)
def test_what_is_no_size_is_refused_with_an_example(value: str | int) -> None:
    with pytest.raises(UnitError, match="must be a size such as 20GiB or 512MiB"):
        parse_memory_mib(value)


@given(st.integers(0, 10**12))
def test_a_written_size_reads_back_as_itself(mib: int) -> None:
    assert parse_memory_mib(format_memory_mib(mib)) == mib


def test_a_size_is_written_in_the_largest_unit_that_is_exact() -> None:
    assert [format_memory_mib(mib) for mib in (0, 512, 1431, 20480)] == [
        "0MiB",
        "512MiB",
        "1431MiB",
        "20GiB",
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12h", 43200.0),
        ("1h30m", 5400.0),
        ("1h 30m", 5400.0),
        ("90s", 90.0),
        ("2d", 172800.0),
        ("1w", 604800.0),
        ("1.5h", 5400.0),
        ("500ms", 0.5),
        ("1m500ms", 60.5),
    ],
)
def test_a_duration_is_read_in_seconds(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == seconds


@pytest.mark.parametrize("value", ["90", 90])
def test_a_duration_without_a_unit_is_refused_with_what_to_write(value: str | int) -> None:
    with pytest.raises(UnitError, match="90 has no unit: write 90s, 90m or 90h") as refused:
        parse_duration_s(value)

    assert refused.value.suggestion == "90s"


@pytest.mark.parametrize(
    "value", ["", " ", "h", "1m1h", "1h1h", "-1s", "1:30:00", "90 minutes", 1.5]
)
def test_what_is_no_duration_is_refused_with_an_example(value: str | float) -> None:
    with pytest.raises(UnitError, match="must be a duration such as 90s, 12h or 1h30m"):
        parse_duration_s(value)


@given(st.floats(1e-6, 1e12) | st.integers(0, 10**9).map(float))
def test_a_written_duration_reads_back_as_itself(seconds: float) -> None:
    assert parse_duration_s(format_duration(seconds)) == seconds


def test_a_duration_is_written_without_empty_units() -> None:
    assert [format_duration(s) for s in (0, 0.5, 90, 5400, 43200, 172800, 90061)] == [
        "0s",
        "0.5s",
        "1m30s",
        "1h30m",
        "12h",
        "2d",
        "1d1h1m1s",
    ]


def test_a_duration_beyond_all_words_is_told_in_seconds() -> None:
    assert [format_duration(s) for s in (1e308, float("inf"))] == ["1e+308s", "infs"]


def test_a_time_is_written_in_utc_with_milliseconds() -> None:
    assert [utc_text(s) for s in (0, 1772352000.1234, 1772352000.9996)] == [
        "1970-01-01T00:00:00.000Z",
        "2026-03-01T08:00:00.123Z",
        "2026-03-01T08:00:01.000Z",
    ]


@given(st.integers(0, 4_000_000_000_000))
def test_a_written_time_reads_back_as_itself(ms: int) -> None:
    assert parse_utc(utc_text(ms / 1000)) == ms / 1000


@pytest.mark.parametrize(
    "text", ["2026-03-01T08:00:00Z", "2026-03-01 16:00+08:00", "2026-03-01t08:00:00.000z"]
)
def test_a_time_is_read_with_its_zone(text: str) -> None:
    assert parse_utc(text) == 1772352000.0


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(UnitError, match="has no time zone: end it with Z") as refused:
        parse_utc("2026-03-01 08:00")

    assert refused.value.suggestion == "2026-03-01T08:00Z"


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-03-01", "20260301T080000Z"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UnitError, match="must be a time such as"):
        parse_utc(text)


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnitError, match="is not a time that exists"):
        parse_utc("2026-02-30T08:00:00Z")


def test_a_rough_duration_has_two_units_at_most() -> None:
    told = [rough_duration(seconds) for seconds in (-5, 59.9, 3725, 7200, 90061)]

    assert told == ["0s", "59s", "1h2m", "2h", "1d1h"]


def test_a_rough_size_never_promises_more_than_there_is() -> None:
    told = [rough_memory_mib(mib) for mib in (0, 1023, 1024, 3071, 24064)]

    assert told == ["0MiB", "1023MiB", "1GiB", "2.9GiB", "23.5GiB"]


def test_sentences_tell_a_moment_to_the_second_and_whose_clock_that_is() -> None:
    assert moment_text(0.25) == "1970-01-01 00:00:00 UTC"
    assert moment_text("2026-03-01T08:00:00.000Z") == "2026-03-01 08:00:00 UTC"
