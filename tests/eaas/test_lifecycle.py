import pytest

from eaas.lifecycle import ENDED, PLACED, TRANSITIONS, IllegalTransition, JobState, Verb, next_state


def test_a_verb_moves_a_job_as_the_table_says() -> None:
    assert next_state(42, JobState.PENDING, Verb.PLACED) is JobState.STARTING


def test_a_verb_the_state_has_no_answer_to_is_refused_by_name() -> None:
    with pytest.raises(IllegalTransition, match="job 42 is Succeeded, so 'placed' cannot happen"):
        next_state(42, JobState.SUCCEEDED, Verb.PLACED)


def test_an_ended_job_only_moves_by_a_persons_retry() -> None:
    verbs = {verb for (state, verb) in TRANSITIONS if state in ENDED}

    assert verbs == {Verb.RETRIED}


def test_every_state_can_be_reached_and_left_and_every_verb_is_used() -> None:
    assert {state for state, _ in TRANSITIONS} == set(JobState)
    assert set(TRANSITIONS.values()) == set(JobState)
    assert {verb for _, verb in TRANSITIONS} == set(Verb)


def test_a_job_owns_room_exactly_while_it_neither_waits_nor_has_ended() -> None:
    assert set(JobState) - ENDED - PLACED == {JobState.PENDING}
    assert not ENDED & PLACED
