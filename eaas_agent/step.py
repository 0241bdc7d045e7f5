"""What each event does to the attempts of this node: rows to save, facts to tell, things to do.

``step`` touches nothing but the node's picture and the turn it is given. The engine commits the
turn's changes and only then does its effects.
"""

from collections.abc import Callable
from typing import Any, Final

from eaas.wire.from_agent import WorkspaceGone
from eaas_agent import course, wishes
from eaas_agent.model import (
    Acked,
    Began,
    DidNotStart,
    Event,
    Exited,
    LogAcked,
    NeverStarted,
    Removed,
    Surveyed,
    TimeUp,
    WantedCame,
    Welcomed,
    WorkspaceDeleted,
)
from eaas_agent.turn import Turn


def step(turn: Turn, event: Event) -> None:
    """Let one event happen."""
    _HANDLERS[type(event)](turn, event)


def _removed(turn: Turn, event: Removed) -> None:
    turn.forget(event.key)


def _workspace_deleted(turn: Turn, event: WorkspaceDeleted) -> None:
    if any(attempt.live for attempt in turn.node.roster.of_job(event.uid)):
        return  # the job is here again, and so will be its workspace
    turn.changes.gone_workspaces.append(event.uid)
    turn.tell(WorkspaceGone(uid=event.uid, at=turn.now, why=event.why))


_HANDLERS: Final[dict[type[Event], Callable[[Turn, Any], None]]] = {
    Welcomed: wishes.welcomed,
    WantedCame: wishes.wanted_came,
    Acked: wishes.acked,
    LogAcked: wishes.log_acked,
    Surveyed: course.surveyed,
    Began: course.began,
    DidNotStart: course.did_not_start,
    NeverStarted: course.never_started,
    Exited: course.exited,
    TimeUp: course.time_up,
    Removed: _removed,
    WorkspaceDeleted: _workspace_deleted,
}
