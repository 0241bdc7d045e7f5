import pytest

from eaas.lifecycle import IllegalTransition, JobState, Verb
from eaas_daemon.core.advance import advance
from tests.rig.builders import House


def test_an_attempt_moves_with_its_job_and_one_that_is_tried_again_has_failed() -> None:
    house = House()
    house.nodes("n1")
    job = house.running(house.submit())

    again = advance(job, Verb.REQUEUED)

    assert (again.state, again.attempts[-1].state) == (JobState.PENDING, JobState.FAILED)
    assert advance(job, Verb.CANCEL_ASKED).attempts[-1].state is JobState.STOPPING


def test_what_cannot_happen_to_a_job_is_refused() -> None:
    house = House()
    house.nodes("n1")

    with pytest.raises(IllegalTransition):
        advance(house.running(house.submit()), Verb.PLACED)
