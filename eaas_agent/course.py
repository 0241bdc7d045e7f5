"""What becomes of an attempt on this node: found again, begun, out of time, over. Pure."""

from typing import Final

from msgspec.structs import replace

from eaas.wire.from_agent import AttemptRunning, AttemptStopping
from eaas.wire.to_agent import Order, Stop
from eaas_agent.ending import Cause, arm, end_attempt, stop_attempt, waits_for_older
from eaas_agent.model import (
    Attempt,
    Began,
    DidNotStart,
    Exited,
    NeverStarted,
    Surveyed,
    TimeUp,
)
from eaas_agent.runtimes.port import Exit, Found
from eaas_agent.turn import Arm, Node, SendLog, Start, StopIt, Turn, Watch
from eaas_agent.wishes import wanted_came

TIMEOUT_GRACE_S: Final = 10.0
_REBOOTED: Final = "the node was rebooted while the attempt was on it"


def surveyed(turn: Turn, event: Surveyed) -> None:
    """Take up every attempt the ledger or the runtime knows, then what was wished meanwhile."""
    node = turn.node
    node.surveyed = True
    found = {item.key: item for item in event.found}
    for attempt in list(node.roster):
        _take_up(turn, attempt, found.get(attempt.key))
    for key, item in found.items():
        if node.roster.get(key) is None:
            _adopt(turn, item)
    for deferred in node.deferred:
        wanted_came(turn, deferred)
    node.deferred.clear()


def _take_up(turn: Turn, attempt: Attempt, found: Found | None) -> None:
    """Go on with an attempt of an earlier life of the agent."""
    if not attempt.live:
        if not attempt.logged:
            turn.do(SendLog(attempt))
    elif attempt.state == "accepted":
        _take_up_start(turn, attempt, found)
    else:
        if found is not None and found.running and attempt.boot_id != turn.node.boot_id:
            attempt = replace(attempt, boot_id=turn.node.boot_id)
            turn.save(attempt)
        turn.do(Watch(attempt))
        if attempt.stop is not None:
            turn.do(StopIt(attempt, _grace_left(attempt, turn.now)))
        else:
            arm(turn, attempt)


def _take_up_start(turn: Turn, attempt: Attempt, found: Found | None) -> None:
    if found is None and attempt.stop is not None:
        end_attempt(turn, attempt, cause="never_started")
    elif found is None and attempt.boot_id != turn.node.boot_id:
        end_attempt(turn, attempt, cause="lost", fault="node", text=_REBOOTED)
    elif not waits_for_older(turn.node.roster, attempt):
        turn.do(Start(attempt))


def _adopt(turn: Turn, found: Found) -> None:
    """Take on an attempt of ours that the ledger does not know: the state folder was replaced."""
    order = Order(
        uid=found.key.uid,
        number=found.number,
        attempt=found.key.attempt,
        epoch=found.epoch,
        known=True,
        user="",
        cards=(),
    )
    attempt = Attempt(
        order=order,
        state="running",
        boot_id=turn.node.boot_id,
        handle=found.handle,
        started_at=found.started_at,
    )
    turn.save(attempt)
    turn.touch(order)
    turn.do(Watch(attempt))


def began(turn: Turn, event: Began) -> None:
    """Hold it as running; stop it at once if that was asked too late to call the start off."""
    held = turn.node.roster.get(event.key)
    if held is None or not held.live:
        return
    started = event.started
    running = replace(
        held,
        state="running" if held.stop is None else "stopping",
        boot_id=turn.node.boot_id,
        handle=started.handle,
        started_at=started.started_at,
        started_up_s=_up_s_of(turn, started.started_at),
    )
    turn.save(running)
    turn.tell(
        AttemptRunning(
            uid=event.key.uid,
            attempt=event.key.attempt,
            started_at=started.started_at,
            handle=started.handle,
            image_digest=started.image_digest,
            warnings=started.warnings,
        )
    )
    if held.stop is not None:  # it could not be called off any more
        turn.do(StopIt(running, held.stop.grace_s))
    else:
        arm(turn, running)


def _up_s_of(turn: Turn, started_at: float) -> float | None:
    """Return when that was since the boot; a clock that ran on since then is believed once."""
    return None if turn.up_s is None else turn.up_s - max(0.0, turn.now - started_at)


def did_not_start(turn: Turn, event: DidNotStart) -> None:
    """End it as failed to start."""
    held = turn.node.roster.get(event.key)
    if held is None or not held.live:
        return
    end_attempt(
        turn,
        held,
        cause="start_failed" if held.stop is None else "never_started",
        exit_code=event.exit_code,
        fault=event.fault,
        detail=event.code,
        text=event.text,
    )


def never_started(turn: Turn, event: NeverStarted) -> None:
    """End it as stopped before it began."""
    held = turn.node.roster.get(event.key)
    if held is not None and held.live:
        end_attempt(turn, held, cause="never_started")


def time_up(turn: Turn, event: TimeUp) -> None:
    """Begin to stop it and say so, whether or not the controller listens."""
    held = turn.node.roster.get(event.key)
    if held is None or held.state != "running":
        return
    turn.tell(AttemptStopping(uid=event.key.uid, attempt=event.key.attempt, at=turn.now))
    stop_attempt(turn, held, Stop(grace_s=TIMEOUT_GRACE_S, why="timed_out"))


def exited(turn: Turn, event: Exited) -> None:
    """End it, with the reason for which it was being stopped, if it was."""
    held = turn.node.roster.get(event.key)
    if held is None or not held.live:
        return
    exit_, text = event.exit, event.exit.text
    cause: Cause = "exited"
    rebooted = _ended_by_reboot(turn.node, held, exit_)
    if held.stop is not None:
        cause = "timed_out" if held.stop.why == "timed_out" else "stopped"
    elif rebooted:
        cause, text = "lost", _REBOOTED
    elif exit_.lost:
        cause = "lost"
    turn.do(Arm(event.key, None))
    end_attempt(
        turn,
        held,
        cause=cause,
        exit_code=None if cause == "lost" and rebooted else exit_.exit_code,
        oom_killed=exit_.oom_killed,
        finished_at=exit_.finished_at,
        ran_for_s=exit_.ran_for_s,
        fault="node" if cause == "lost" else "user",
        text=text,
        log_bytes=event.log_bytes,
    )


def _ended_by_reboot(node: Node, held: Attempt, exit_: Exit) -> bool:
    """Tell whether the machine ended it: an exit from before this boot is the job's own."""
    if held.boot_id == node.boot_id:
        return False
    return exit_.lost or exit_.finished_at >= node.booted_at


def _grace_left(attempt: Attempt, now: float) -> float:
    """Return what is left of the grace; a clock set back grants no more than all of it."""
    assert attempt.stop is not None, "asked only of what is being stopped"
    spent_s = max(0.0, now - (now if attempt.stop_at is None else attempt.stop_at))
    return max(0.0, attempt.stop.grace_s - spent_s)
