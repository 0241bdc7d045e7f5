"""Arrays with limits, whatever else happens and in any order."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from eaas.job_ref import JobRef
from eaas.job_spec import read_spec
from eaas.lifecycle import PLACED, JobState
from eaas_daemon.core import events as e
from eaas_daemon.core.arrays import jobs_named
from eaas_daemon.core.ask import limit_of
from tests.rig.story import Story, callers, picks, queues, restarts


class ArrayStory(Story):
    """The story of all jobs, in which many are tasks of arrays."""

    @rule(
        caller=callers,
        indices=st.sampled_from(["0-4", "0-8:2", "3,5,9", "7"]),
        at_most=st.sampled_from([1, 1, 2, 3]),
        gpus=st.integers(0, 1),
        queue=queues,
        restart=restarts,
    )
    def submit_array(self, caller: e.Caller, indices: str, at_most: int, **fields: Any) -> None:
        array = f"{indices}%{at_most}"
        spec = read_spec({"image": "busybox", "array": array, "cpus": 0.5, **fields})
        self.happen(e.Submit(caller=caller, specs=(spec,), force=True))

    @rule(pick=picks, exit_code=st.sampled_from([0, 0, 1]))
    def one_more_ends(self, pick: int, exit_code: int) -> None:
        self.about(pick, 0, cause="exited", exit_code=exit_code)

    @invariant()
    def nobody_waits_for_what_is_over(self) -> None:
        """As in the other story, but an array is over only when all its tasks are."""
        state = self.house.state
        for job in map(state.jobs.__getitem__, state.aside):
            for number in job.waits_for:
                whole = number in job.spec.after
                tasks = jobs_named(state, JobRef(number)) if whole else [self.house.job(number)]
                tasks = [self.house.job(number)] if tasks[0].is_rank else tasks
                assert any(task.state is not JobState.SUCCEEDED for task in tasks)
                if job.spec.after_failed == "fail":
                    assert not any(
                        task.ended and task.state is not JobState.SUCCEEDED for task in tasks
                    )

    @invariant()
    def no_array_runs_more_than_it_may(self) -> None:
        running: dict[int, int] = {}
        for job in self.house.state.jobs.values():
            limit = limit_of(job)
            if limit is not None and job.state in PLACED:
                running[limit.array] = running.get(limit.array, 0) + 1
                assert running[limit.array] <= limit.at_most


TestArrayStory = ArrayStory.TestCase
TestArrayStory.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
