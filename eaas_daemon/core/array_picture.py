"""An array as one thing: how many of its tasks are where, and what those wait for."""

from collections import Counter
from typing import Final

from eaas import reasons as r
from eaas.array_views import ArrayView, TasksView
from eaas.ids import JobNumber
from eaas.job_array import array_of
from eaas.job_ref import JobRef
from eaas.lifecycle import ENDED, PLACED, JobState
from eaas.views import JobView
from eaas_daemon.core.arrays import ended_tasks
from eaas_daemon.core.model import Job
from eaas_daemon.core.picture import Painter, reason_view

Alike = tuple[JobState, r.Reason | None, str | None]
"""State, reason and node."""
ORDER: Final = {state: place for place, state in enumerate(JobState)}


def array_view(painter: Painter, first: Job, seen: JobView) -> ArrayView:
    """Return the array of which this is the first task, and how whoever asks sees that one."""
    groups = _groups(painter, first)
    states = Counter({state: 0 for state, *_ in groups})
    for (state, *_), indices in groups.items():
        states[state] += len(indices)
    return ArrayView(
        id=first.number,
        ref=str(first.number),
        name=first.spec.name,
        user=first.user,
        pool=seen.pool,
        queue=seen.queue,
        state=_whole(states),
        count=len(first.spec.array),
        at_most=first.spec.array.at_most,
        states={state.value: states[state] for state in sorted(states, key=ORDER.__getitem__)},
        created_at=seen.created_at,
        spec=seen.spec,
        tasks=tuple(
            TasksView(
                ref=str(JobRef(first.number, array_of(indices))),
                count=len(indices),
                state=alike[0].value,
                reason=reason_view(alike[1]),
                node=alike[2],
            )
            for alike, indices in sorted(groups.items(), key=_place)
        ),
    )


def _groups(painter: Painter, first: Job) -> dict[Alike, list[int]]:
    state, reason = painter.state, painter.explainer.reason
    ended = ended_tasks(state, first)
    members = state.arrays.of(first.number)
    groups: dict[Alike, list[int]] = {}
    for place, index in enumerate(first.spec.array):
        uid = members.get(index)
        if uid is not None:
            job = state.jobs[uid]
            live = job.live_attempt
            alike = job.state, reason(job), None if live is None else str(live.node)
        elif (how := ended.get(JobNumber(first.number + place))) is not None:
            alike = how, None, None
        else:
            continue
        groups.setdefault(alike, []).append(index)
    return groups


def _place(group: tuple[Alike, list[int]]) -> tuple[bool, bool, int, int]:
    """Return where tasks are listed: what runs, what waits, what has ended."""
    (state, *_), indices = group
    return state in ENDED, state not in PLACED, ORDER[state], indices[0]


def _whole(states: Counter[JobState]) -> str:
    if any(state in PLACED for state in states):
        return JobState.RUNNING.value
    if JobState.PENDING in states:
        return JobState.PENDING.value
    others = Counter({state: n for state, n in states.items() if state is not JobState.SUCCEEDED})
    return others.most_common(1)[0][0].value if others else JobState.SUCCEEDED.value
