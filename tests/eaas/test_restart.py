import pytest

from eaas.field_checks import Mistake, Wrong
from eaas.restart import ON_FAILURE, Restart, Restarts

CHECK = Restarts()


def on_failure(retries: int, backoff_s: float = 30.0) -> Restart:
    return Restart(policy="on-failure", retries=retries, backoff_s=backoff_s)


@pytest.mark.parametrize(
    ("value", "restart"),
    [
        ("never", Restart()),
        ("on-failure", ON_FAILURE),
        ({}, Restart()),
        ({"policy": "never", "backoff": "5s"}, Restart()),
        ({"policy": "on-failure"}, on_failure(3)),
        ({"policy": "on-failure", "retries": 5, "backoff": "1m"}, on_failure(5, 60.0)),
        ({"retries": 2}, on_failure(2)),
        ({"retries": "2"}, on_failure(2)),
        ({"retries": 0}, Restart()),
        ({"backoff": "0s"}, on_failure(3, 0.0)),
    ],
)
def test_a_restart_is_read_and_reads_back_as_itself(value: object, restart: Restart) -> None:
    assert CHECK.read(value) == restart
    assert CHECK.read(CHECK.typed(restart)) == restart


@pytest.mark.parametrize(
    ("value", "mistakes"),
    [
        ("always", [Mistake("must be never or on-failure, not 'always'", "on-failure")]),
        (3, [Mistake("must be never or on-failure, not 3")]),
        (
            {"policy": "never", "retries": 3},
            [Mistake("never has no retries: write on-failure", "on-failure", ("policy",))],
        ),
        (
            {"retry": 3, "retries": "x", "backoff": 30},
            [
                Mistake(
                    "no such key in restart, which has policy, retries, backoff",
                    "retries",
                    ("retry",),
                    True,
                ),
                Mistake("must be a whole number from 0 to 100, not 'x'", None, ("retries",)),
                Mistake("30 has no unit: write 30s, 30m or 30h", "30s", ("backoff",)),
            ],
        ),
    ],
)
def test_every_mistake_in_a_restart_is_listed(value: object, mistakes: list[Mistake]) -> None:
    with pytest.raises(Wrong) as refused:
        CHECK.read(value)

    assert list(refused.value.mistakes) == mistakes
