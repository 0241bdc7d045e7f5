"""What the controller's words do to the attempts of this node. Pure."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from eaas.ids import JobUid
from eaas.lives import Obeyed
from eaas.wire.to_agent import Order, Wanted
from eaas_agent import reconcile as do
from eaas_agent.changes import KEPT_FACTS
from eaas_agent.ending import arm, end_attempt, forget_if_done, stop_attempt
from eaas_agent.model import Acked, Attempt, LogAcked, WantedCame, Welcomed
from eaas_agent.runtimes.port import AttemptKey
from eaas_agent.turn import Start, Tell, Turn


def welcomed(turn: Turn, event: Welcomed) -> None:
    """Take over where this controller stands, and remember that it is the one to be obeyed."""
    node = turn.node
    node.acked_seq = event.acked_seq
    if event.acked_seq > node.last_seq:
        # The state folder is an older copy: go on after what the controller has heard.
        node.last_seq = event.acked_seq
        turn.changes.meta["last_seq"] = str(event.acked_seq)
    if event.epoch >= node.obeyed.epoch:
        _obey(turn, Obeyed(epoch=event.epoch, life=event.life, seq=event.life_seq))


def _obey(turn: Turn, obeyed: Obeyed) -> None:
    if obeyed != turn.node.obeyed:
        turn.node.obeyed = obeyed
        kept = {"epoch": obeyed.epoch, "life": obeyed.life, "life_seq": obeyed.seq}
        turn.changes.meta.update((key, str(value)) for key, value in kept.items())


def wanted_came(turn: Turn, event: WantedCame) -> None:
    """Do what reconciling asks for; before the survey, only keep the wish."""
    node = turn.node
    if not node.surveyed:
        node.deferred.append(event)
        return
    wanted = event.wanted
    actions = do.reconcile(
        node.roster,
        wanted,
        epoch=event.epoch,
        highest_epoch=node.obeyed.epoch,
        seen=turn.seen(wanted.orders),
        acked_seq=node.acked_seq,
    )
    for action in actions:
        _ACTIONS[type(action)](turn, action)
    turn.changes.ended_jobs.extend((turn.now, uid) for uid in wanted.job_ended)
    turn.changes.keep_until.extend((until, uid) for uid, until in wanted.keep_until)
    if turn.changes or wanted == Wanted(full=False, orders=(), life_seq=wanted.life_seq):
        _note_progress(turn, event)


def _note_progress(turn: Turn, event: WantedCame) -> None:
    """Remember how far the obeyed life has come, in a commit that is due anyway or asked for."""
    obeyed, seq = turn.node.obeyed, event.wanted.life_seq
    if (event.epoch, event.life) == (obeyed.epoch, obeyed.life) and seq > obeyed.seq:
        _obey(turn, replace(obeyed, seq=seq))


def _accept(turn: Turn, action: do.Accept) -> None:
    attempt = Attempt(order=action.order, state="accepted", boot_id=turn.node.boot_id)
    older = [other for other in turn.node.roster.of_job(action.order.uid) if other.live]
    turn.save(attempt)
    turn.touch(action.order)
    if not older:
        turn.do(Start(attempt))


def _renew(turn: Turn, action: do.Renew) -> None:
    held = turn.node.roster.get(AttemptKey(JobUid(action.order.uid), action.order.attempt))
    assert held is not None, "reconcile renews only what is held"
    renewed = replace(held, order=action.order)
    turn.save(renewed)
    if renewed.state == "running":
        arm(turn, renewed)


def _end_it(turn: Turn, action: do.End) -> None:
    held = turn.node.roster.get(action.key)
    if held is not None and held.live:
        stop_attempt(turn, held, action.stop)


def _answer_lost(turn: Turn, action: do.AnswerLost) -> None:
    turn.touch(action.order)
    end_attempt(turn, _absent(turn, action.order), cause="lost", fault="node", text=action.text)


def _answer_never_started(turn: Turn, action: do.AnswerNeverStarted) -> None:
    turn.touch(action.order)
    end_attempt(turn, _absent(turn, action.order), cause="never_started")


def _absent(turn: Turn, order: Order) -> Attempt:
    return Attempt(order=order, state="accepted", boot_id=turn.node.boot_id)


def _offer(turn: Turn, action: do.Offer) -> None:
    held = turn.node.roster.get(action.key)
    if held is not None:
        turn.do(Tell(held.unlisted()))


def _drop(turn: Turn, action: do.Drop) -> None:
    turn.node.dropped.add(action.key)
    held = turn.node.roster.get(action.key)
    if held is not None:
        forget_if_done(turn, held)


def acked(turn: Turn, event: Acked) -> None:
    """Note what is committed, and now and then prune what was acknowledged long ago."""
    node = turn.node
    node.acked_seq = max(node.acked_seq, event.seq)
    if node.acked_seq - node.pruned_to >= 2 * KEPT_FACTS:
        node.pruned_to = node.acked_seq - KEPT_FACTS
        turn.changes.prune_facts_to = node.pruned_to
        turn.changes.meta["last_seq"] = str(node.last_seq)


def log_acked(turn: Turn, event: LogAcked) -> None:
    """Note that the log is delivered; of a short attempt that may be heard before its end."""
    held = turn.node.roster.get(event.key)
    if held is None or held.logged:
        return
    logged = replace(held, logged=True)
    turn.save(logged)
    forget_if_done(turn, logged)


_ACTIONS: Final[dict[type[do.Action], Callable[[Turn, Any], None]]] = {
    do.Accept: _accept,
    do.Renew: _renew,
    do.End: _end_it,
    do.AnswerLost: _answer_lost,
    do.AnswerNeverStarted: _answer_never_started,
    do.Drop: _drop,
    do.Offer: _offer,
}
