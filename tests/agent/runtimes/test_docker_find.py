from typing import Any

from eaas.ids import JobNumber, JobUid
from eaas_agent.runtimes.docker_find import found_in
from eaas_agent.runtimes.port import AttemptKey, Found

LABELS = {"eaas.job": "u-1", "eaas.attempt": "2", "eaas.number": "42", "eaas.epoch": "3"}


def inspected(labels: dict[str, str], status: str = "running") -> dict[str, Any]:
    state = {"Status": status, "StartedAt": "1970-01-01T00:00:05Z"}
    return {"Id": "abc", "Config": {"Labels": labels}, "State": state}


def test_labels_say_whose_container_it_is() -> None:
    assert found_in(inspected(LABELS)) == Found(
        key=AttemptKey(JobUid("u-1"), 2),
        number=JobNumber(42),
        epoch=3,
        handle="abc",
        running=True,
        started_at=5.0,
    )


def test_paused_still_runs_and_exited_does_not() -> None:
    seen = [found_in(inspected(LABELS, status)) for status in ("paused", "exited", "dead")]

    assert [found and found.running for found in seen] == [True, False, False]


def test_labels_that_make_no_sense_are_nobodys() -> None:
    assert found_in(inspected({})) is None
    assert found_in(inspected(LABELS | {"eaas.attempt": "second"})) is None
