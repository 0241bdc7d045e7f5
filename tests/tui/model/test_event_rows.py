import pytest

from eaas_tui.model.columns import text_of
from eaas_tui.model.event_rows import event_row, event_rows, event_tone
from tests.rig.pictures import a_picture, an_event


def test_an_event_is_its_time_its_kind_and_its_sentence() -> None:
    row = event_row(an_event(7, "job.failed", "job 42 is Failed: exit code 1"))

    at, *rest = [text_of(cell) for cell in row.cells]
    assert rest == ["job.failed", "job 42 is Failed: exit code 1"]
    assert at.count(":") == 2


@pytest.mark.parametrize(
    ("kind", "tone"),
    [
        ("job.failed", "bad"),
        ("job.cancelled", "warn"),
        ("node.joined", "good"),
        ("job.running", "busy"),
        ("something.new", "muted"),
    ],
)
def test_the_kind_decides_how_an_event_is_meant(kind: str, tone: str) -> None:
    assert event_tone(kind) == tone


def test_the_newest_event_is_the_last() -> None:
    assert event_rows(a_picture(events=(an_event(1), an_event(2)))).keys == [1, 2]
