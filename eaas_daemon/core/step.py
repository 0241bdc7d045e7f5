"""One step of the controller: take a batch of events, then plan once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from eaas.errors import EaasError
from eaas_daemon.core import (
    admin,
    adoption,
    booking_orders,
    from_agents,
    greeting,
    on_jobs,
    on_tasks,
    ticking,
    trust,
)
from eaas_daemon.core import events as e
from eaas_daemon.core.attempts import place_all
from eaas_daemon.core.gangs import to_all_ranks
from eaas_daemon.core.interrupting import interrupt
from eaas_daemon.core.model import Job
from eaas_daemon.core.preempt import looked_at
from eaas_daemon.core.state import State

Handler = Callable[[State, Any, float], Any]

HANDLERS: Final[Mapping[type[e.Event], Handler]] = {
    e.Submit: on_jobs.submit,
    e.Cancel: to_all_ranks(on_jobs.cancel),
    e.SetPriority: to_all_ranks(on_jobs.set_priority),
    e.PutOnTop: to_all_ranks(on_jobs.put_on_top),
    e.Move: to_all_ranks(on_jobs.move),
    e.Retry: to_all_ranks(on_jobs.retry),
    e.Keep: on_jobs.keep,
    e.ToTasks: on_tasks.to_tasks,
    e.CreatePool: admin.create_pool,
    e.ChangePool: admin.change_pool,
    e.DeletePool: admin.delete_pool,
    e.AddToPool: admin.add_to_pool,
    e.RemoveFromPool: admin.remove_from_pool,
    e.CreateQueue: admin.create_queue,
    e.ChangeQueue: admin.change_queue,
    e.DeleteQueue: admin.delete_queue,
    e.Book: booking_orders.book,
    e.CancelBooking: booking_orders.cancel,
    e.SetDraining: admin.set_draining,
    e.SetLabels: admin.set_labels,
    e.SetExcluded: admin.set_excluded,
    e.CleanCard: admin.clean_card,
    e.RemoveNode: admin.remove_node,
    e.ConfirmDead: admin.confirm_dead,
    e.CreateToken: trust.create_token,
    e.RevokeToken: trust.revoke_token,
    e.JoinNode: trust.join,
    e.RenewCredential: trust.renew,
    e.CredentialUsed: trust.used,
    e.AgentSaidHello: greeting.hello,
    e.AgentSaidFacts: from_agents.facts,
    e.AgentBeat: from_agents.beat,
    e.AgentProgress: from_agents.progress,
    e.AgentInventory: from_agents.inventory,
    e.AgentHolds: adoption.unlisted,
    e.AgentGone: from_agents.gone,
    e.LogFinished: from_agents.log_finished,
    e.LogWasDropped: from_agents.log_dropped,
    e.FolderNoted: from_agents.folder_noted,
    e.SettingsReread: from_agents.settings_reread,
    e.Tick: ticking.tick,
}


def step(state: State, events: Sequence[e.Event], now: float) -> list[Any]:
    """Apply the events in order and place whom they let be placed.

    Returns one answer per event: the handler's value, or the ``EaasError`` it was refused with.
    A refused event leaves no trace. ``now`` is Unix seconds.
    """
    answers = [_answer(state, event, now) for event in events]
    looked = looked_at(state)
    place_all(state, now)
    interrupt(state, looked, now)
    return [_newest(state, answer) for answer in answers]


def _newest(state: State, answer: Any) -> Any:
    """Let an answer show what the plan has made of its jobs."""
    if isinstance(answer, Job):
        return state.jobs.get(answer.uid, answer)
    if isinstance(answer, tuple):
        return tuple(_newest(state, each) for each in answer)
    return answer


def _answer(state: State, event: e.Event, now: float) -> Any:
    mark = state.mark()
    try:
        return HANDLERS[type(event)](state, event, now)
    except EaasError as refusal:
        state.undo_to(mark)
        return refusal
