import pytest

from eaas.cli.words import ago, card, cards, many, moment, short_duration, size
from eaas.views import HeldCardView


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, None),
        (0, "0s"),
        (59.9, "59s"),
        (60, "1m"),
        (61, "1m1s"),
        (3600, "1h"),
        (3725, "1h2m"),
        (86400, "1d"),
        (90000, "1d1h"),
        (-5, "0s"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds: float | None, text: str | None) -> None:
    assert short_duration(seconds) == text


@pytest.mark.parametrize(
    ("mib", "text"),
    [(None, None), (0, "0MiB"), (512, "512MiB"), (1536, "1.5GiB"), (24564, "24GiB")],
)
def test_a_size_is_rounded_for_the_eye(mib: int | None, text: str | None) -> None:
    assert size(mib) == text


def test_times_are_told_as_people_read_them() -> None:
    assert ago("1970-01-01T00:00:00.000Z", now=3600) == "1h"
    assert ago(None) is ago("yesterday") is None
    assert moment("2026-03-01T08:00:00.123Z") == "2026-03-01 08:00:00 UTC"


def test_a_card_is_its_index_else_the_begin_of_its_uuid() -> None:
    whole = HeldCardView(uuid="GPU-12345678-aaaa", index=3, memory_mib=None)
    share = HeldCardView(uuid="GPU-12345678-aaaa", index=None, memory_mib=8192)

    assert card(share) == "GPU-12345678 (8GiB)"
    assert cards([whole, share]) == "3, GPU-12345678 (8GiB)"
    assert cards([]) is None


def test_a_count_has_its_plural() -> None:
    assert [many(count, "job") for count in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]
