"""An array of jobs as one thing, over REST."""

from typing import Any

from eaas.views import ReasonView, View


class TasksView(View, frozen=True, kw_only=True):
    """Tasks of one array that are alike: in the same state, for the same reason, on one node."""

    ref: str
    """``42[3-99]``."""
    count: int
    state: str
    reason: ReasonView | None
    node: str | None


class ArrayView(View, frozen=True, kw_only=True):
    """All tasks of an array together."""

    id: int
    ref: str
    name: str | None
    user: str
    pool: str
    queue: str
    """Where it came in; single tasks may have been moved since."""
    state: str
    """Running while any task has a node, Pending while the rest waits; ended, it is Succeeded if
    all tasks are, else what most of the others are."""
    count: int
    at_most: int | None
    """How many tasks may run at once; null is as many as there is room for."""
    states: dict[str, int]
    """How many tasks are in each state; those without any are left out."""
    created_at: str
    spec: dict[str, Any]
    tasks: tuple[TasksView, ...]


class ArrayDone(View, frozen=True, kw_only=True):
    """What was done to tasks of an array."""

    array: ArrayView
    changed: int
    left: int
    """Tasks that stayed as they were."""
