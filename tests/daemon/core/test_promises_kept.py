"""A promise holds whatever others do who keep to their timeouts; in the end everybody starts."""

from random import Random
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from eaas.lifecycle import JobState
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.certainty import certain_at
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from eaas_daemon.core.reserve import COOLING_S
from tests.daemon.core.test_reserve import a_house, end, kept
from tests.rig.builders import ADMIN, ALICE, BOB
from tests.rig.histories import CAROL

seeds = st.integers(0, 2**40)
many = settings(max_examples=300, deadline=None)


class Course:
    """Jobs come and run until their time is up, one after the other, on whole nodes and in caps."""

    def __init__(self, seed: int) -> None:
        note(f"seed {seed}")
        self.random = Random(seed)
        self.house = a_house(cards=4, nodes=self.random.randint(1, 2))
        self.ends: dict[int, float] = {}
        caps: dict[str, Any] = {
            name: self.random.choice([None, None, most])
            for name, most in (
                ("max_running", self.random.randint(1, 4)),
                ("max_gpus", self.random.randint(4, 6)),
                ("max_per_user", self.random.randint(1, 3)),
                ("max_gpus_per_user", self.random.randint(4, 6)),
            )
        }
        self.house.queue("default", **caps)
        mine = SetPool(max_gpus_per_user=self.random.choice([None, 4, 6]))
        self.house.do(e.ChangePool(caller=ADMIN, name="default", settings=mine))

    def submit(self, caller: e.Caller = ALICE, **fields: Any) -> Job:
        """Let a job come that is gone after its timeout."""
        timeout = self.random.choice(["5m", "15m", "1h", "3h"])
        gpus = self.random.choice([1, 1, 2, 3, 4])
        return self.house.submit(caller, **{"gpus": gpus, "timeout": timeout, **fields})

    def begin(self) -> None:
        """Let whatever was placed run, and know when its time is up."""
        self.house.begin()
        for job in self.house.state.jobs.values():
            if job.state is JobState.RUNNING and job.number not in self.ends:
                assert job.timeout_s is not None
                early = self.random.choice([1.0, 1.0, 0.5])
                self.ends[job.number] = self.house.now + job.timeout_s * early

    def go_on(self) -> None:
        """Go to the next end."""
        number = min(self.ends, key=self.ends.__getitem__)
        self.house.now = max(self.house.now, self.ends.pop(number))
        end(self.house, self.house.job(number), cards=4)


@many
@given(seed=seeds)
def test_nobody_who_keeps_their_timeout_delays_the_first_in_line_by_room_or_by_caps(
    seed: int,
) -> None:
    course = Course(seed)
    house, promised = course.house, dict[str, float]()
    todo = course.random.randint(4, 16)
    while todo or house.state.jobs:
        if todo:
            todo -= 1
            course.submit()
        course.begin()
        for job in list(house.state.jobs.values()):
            if job.attempts and job.uid in promised:
                assert house.now <= promised.pop(job.uid)
        first = kept(house)
        if first is not None and first.at is not None and first.is_firm:
            before = promised.setdefault(first.uid, first.at + COOLING_S)
            assert first.at + COOLING_S <= before
        if course.ends and (not todo or course.random.random() < 0.5):
            course.go_on()
        assert broken(house.state) == []


@many
@given(seed=seeds)
def test_who_is_told_a_certain_moment_starts_by_then(seed: int) -> None:
    course = Course(seed)
    house, told = course.house, dict[str, float]()
    for _ in range(course.random.randint(4, 14)):
        course.submit(course.random.choice([ALICE, BOB]))
        course.begin()
        if course.ends and course.random.random() < 0.4:
            course.go_on()
    while house.state.jobs:
        course.begin()
        for job in list(house.state.jobs.values()):
            if job.attempts and job.uid in told:
                assert house.now <= told.pop(job.uid)
            at = None if job.attempts else certain_at(house.state, job, house.now)
            if at is not None:
                assert at <= told.setdefault(job.uid, at)
        if not course.ends:
            break
        course.go_on()


@many
@given(seed=seeds)
def test_a_job_starts_in_the_end_though_others_come_without_end(seed: int) -> None:
    course = Course(seed)
    house, random = course.house, course.random
    house.queue("default", hold_after_s=random.choice([0.0, 600.0]))
    people = [ALICE, BOB, CAROL]

    def comes(**fields: Any) -> Job:
        timeout = {} if random.random() < 0.5 else {"timeout": random.choice(["5m", "3h"])}
        asked = {"gpus": random.choice([1, 1, 1, 2, 3]), **timeout, **fields}
        return house.submit(random.choice(people), **asked)

    for _ in range(8):
        comes()
    mine = comes(gpus=random.choice([1, 3, 4]))
    for _ in range(400):
        house.begin()
        if house.job(mine.number).attempts:
            return
        comes()
        live = [job for job in house.state.jobs.values() if job.live_attempt]
        house.now += 60.0
        if live:
            end(house, min(live, key=lambda job: job.attempts[-1].created_at), cards=4)
        house.do(e.Tick())
    raise AssertionError(f"job {mine.number} waits for ever")
