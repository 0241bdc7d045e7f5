"""Views of arrays that tests of the command line and the client answer with."""

from typing import Any

from eaas.array_views import ArrayDone, ArrayView, TasksView
from eaas.views import JobView
from tests.rig.stand_in import a_job


def a_task(number: int, index: int, state: str = "Pending", **but: Any) -> JobView:
    """Return a task of array 42, which is typed as ``0-99%8``."""
    spec = {"command": "true", "array": "0-99%8"}
    ref = f"42[{index}]"
    return a_job(number, state, ref=ref, array=42, array_index=index, spec=spec, **but)


def an_array(*tasks: tuple[str, int, str]) -> ArrayView:
    """Return array 42 with these tasks: name, how many, state."""
    states: dict[str, int] = {}
    for _, count, state in tasks:
        states[state] = states.get(state, 0) + count
    return ArrayView(
        id=42,
        ref="42",
        name="sweep",
        user="ann",
        pool="default",
        queue="default",
        state=tasks[0][2],
        count=sum(states.values()),
        at_most=8,
        states=states,
        created_at="2026-01-01T00:00:00.000Z",
        spec={"command": "true", "array": "0-99%8"},
        tasks=tuple(
            TasksView(ref=ref, count=count, state=state, reason=None, node=None)
            for ref, count, state in tasks
        ),
    )


def done(changed: int, left: int = 0) -> ArrayDone:
    """Return what is answered when tasks of array 42 were cancelled."""
    array = an_array(("42[0-7]", 8, "Stopping"), ("42[8-99]", 92, "Cancelled"))
    return ArrayDone(array=array, changed=changed, left=left)
