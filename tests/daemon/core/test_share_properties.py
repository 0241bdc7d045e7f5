"""Cards that are shared by declared memory, whatever comes."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eaas.job_spec import read_spec
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run
from eaas_daemon.core.invariants import broken
from eaas_daemon.core.model import Job
from tests.daemon.core.sharers import SEEN_S, STARTING, a_house, end, share
from tests.rig.builders import ALICE, House

jobs = st.lists(
    st.tuples(
        st.sampled_from([None, None, 1, 4, 7, 12, 20, 23]),
        st.integers(1, 3),
        st.sampled_from([300, 900, 3600]),
        st.booleans(),
    ),
    min_size=1,
    max_size=16,
)


def submit(house: House, gib: int | None, gpus: int, **fields: Any) -> Job:
    if gib is None:
        return house.submit(force=True, gpus=gpus, **fields)
    return share(house, gib, force=True, **fields)


@settings(max_examples=300, deadline=None)
@given(asks=jobs, nodes=st.integers(1, 2), sizes=st.sampled_from([(24,), (24, 24, 24), (16, 48)]))
def test_nobody_who_keeps_their_timeout_delays_the_first_in_line(
    asks: list[tuple[int | None, int, int, bool]], nodes: int, sizes: tuple[int, ...]
) -> None:
    house = a_house(*sizes, nodes=nodes)
    promised: dict[str, float] = {}
    ends: dict[int, float] = {}
    todo = list(asks)
    while todo or ends:
        goes_on = not todo
        if todo:
            gib, gpus, timeout_s, goes_on = todo.pop(0)
            submit(house, gib, gpus, timeout=f"{timeout_s}s")
        for job in list(house.state.jobs.values()):
            if job.state is STARTING:
                job = house.running(job)
                ends[job.number] = house.now + (job.timeout_s or 0)
            if job.attempts and job.uid in promised:
                assert house.now <= promised.pop(job.uid)
        for first in house.state.every_reservation():
            if first.at is not None:
                promised.setdefault(first.uid, first.at + 2 * SEEN_S)
        if goes_on and ends:
            number = min(ends, key=ends.__getitem__)
            house.now = max(house.now, ends.pop(number))
            end(house, house.job(number))
        assert broken(house.state) == []


@settings(max_examples=200, deadline=None)
@given(asks=jobs, last=st.tuples(st.sampled_from([None, 2, 6, 15]), st.integers(1, 3)))
def test_what_a_trial_says_is_what_then_happens(
    asks: list[tuple[int | None, int, int, bool]], last: tuple[int | None, int]
) -> None:
    house = a_house(24, 48, nodes=2)
    for gib, gpus, timeout_s, known in asks:
        job = submit(house, gib, gpus, **({"timeout": f"{timeout_s}s"} if known else {}))
        if job.attempts:
            house.running(job)
    gib, gpus = last
    typed: dict[str, Any] = {"image": "busybox", "command": "true", "gpus": gpus}
    if gib is not None:
        typed |= {"gpus": 1, "share": True, "gpu_memory": f"{gib}GiB"}
    spec = read_spec(typed)

    told = dry_run(house.state, spec, ALICE, house.now)
    (job,) = house.do(e.Submit(caller=ALICE, specs=(spec,), force=True))

    assert (told.would == "start") == (job.state is STARTING)
    if job.attempts:
        assert told.node == job.attempts[-1].node
        assert [(card.uuid, card.memory_mib) for card in told.cards] == [
            (card.uuid, card.memory_mib) for card in job.attempts[-1].cards
        ]


@settings(max_examples=300, deadline=None)
@given(asks=jobs, data=st.data())
def test_nothing_is_ever_declared_twice(
    asks: list[tuple[int | None, int, int, bool]], data: st.DataObject
) -> None:
    house = a_house(24, 16, nodes=2)
    for gib, gpus, timeout_s, known in asks:
        submit(house, gib, gpus, **({"timeout": f"{timeout_s}s"} if known else {}))
        live = [job for job in house.state.jobs.values() if job.live_attempt]
        assert broken(house.state) == []
        ends: bool = data.draw(st.booleans())
        if live and ends:
            end(house, data.draw(st.sampled_from(live)))
            assert broken(house.state) == []
