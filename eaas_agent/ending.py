"""How attempts are brought to their end, told, and forgotten. Pure."""

from typing import Final, Literal

from msgspec.structs import replace

from eaas.wire.from_agent import AttemptEnded
from eaas.wire.to_agent import Stop
from eaas_agent.model import Attempt, Roster
from eaas_agent.runtimes.port import AttemptKey
from eaas_agent.turn import Arm, CallOff, Remove, Start, StopIt, Turn

NOTHING_LOGGED: Final = (0, 0)
MAX_TEXT_CHARS: Final = 2000
"""What an engine says is cut here: a window of facts must fit into one message."""

Cause = Literal["exited", "stopped", "timed_out", "start_failed", "lost", "never_started"]


def stop_attempt(turn: Turn, held: Attempt, stop: Stop) -> None:
    """Stop it, or stop it sooner than it is being stopped."""
    if held.stop is not None:  # sooner, but for the reason that came first
        stop = replace(stop, why=held.stop.why)
    if held.state == "accepted":
        stopping = replace(held, stop=stop, stop_at=turn.now)
        turn.save(stopping)
        if waits_for_older(turn.node.roster, stopping):
            end_attempt(turn, stopping, cause="never_started")
        else:
            turn.do(CallOff(held.key))
        return
    stopping = replace(held, state="stopping", stop=stop, stop_at=turn.now)
    turn.save(stopping)
    turn.do(Arm(held.key, None))
    turn.do(StopIt(stopping, stop.grace_s))


def arm(turn: Turn, attempt: Attempt) -> None:
    """Count its timeout from its start, or disarm when there is none."""
    timeout_s = attempt.order.timeout_s
    if timeout_s is None or attempt.started_at is None:
        turn.do(Arm(attempt.key, None))
    else:
        turn.do(Arm(attempt.key, max(0.0, timeout_s - _ran_s(turn, attempt, attempt.started_at))))


def _ran_s(turn: Turn, attempt: Attempt, started_at: float) -> float:
    """Return how long it has run, also when the clock was set meanwhile."""
    if turn.up_s is None or attempt.started_up_s is None or attempt.boot_id != turn.node.boot_id:
        return turn.now - started_at
    return turn.up_s - attempt.started_up_s


def end_attempt(
    turn: Turn,
    held: Attempt,
    *,
    cause: Cause,
    exit_code: int | None = None,
    oom_killed: bool | None = None,
    finished_at: float | None = None,
    ran_for_s: float | None = None,
    fault: Literal["user", "node"] = "user",
    detail: str | None = None,
    text: str | None = None,
    log_bytes: tuple[int, int] | None = None,
) -> None:
    """Tell the end and hold the attempt as ended until controller and log let it go."""
    key = held.key
    if held.handle is None:
        log_bytes = NOTHING_LOGGED
    stdout_bytes, stderr_bytes = log_bytes or (None, None)
    seq = turn.tell(
        AttemptEnded(
            uid=key.uid,
            attempt=key.attempt,
            cause=cause,
            exit_code=exit_code,
            oom_killed=oom_killed,
            started_at=held.started_at,
            finished_at=turn.now if finished_at is None else finished_at,
            ran_for_s=ran_for_s,
            fault=fault,
            detail=detail,
            text=None if text is None else text[:MAX_TEXT_CHARS],
            stdout_bytes=stdout_bytes,
            stderr_bytes=stderr_bytes,
        )
    )
    logged = held.logged or log_bytes == NOTHING_LOGGED
    ended = replace(held, state="ended", end_seq=seq, logged=logged)
    turn.save(ended)
    _start_next(turn, key)
    forget_if_done(turn, ended)


def _start_next(turn: Turn, key: AttemptKey) -> None:
    """Start the later attempt of the same job that waited for this one's end."""
    for other in turn.node.roster.of_job(key.uid):
        if other.live:
            if other.state == "accepted" and other.stop is None and other.key > key:
                turn.do(Start(other))
            return


def waits_for_older(roster: Roster, attempt: Attempt) -> bool:
    """Tell whether an earlier attempt of the same job is still live here."""
    return any(other.live and other.key < attempt.key for other in roster.of_job(attempt.order.uid))


def forget_if_done(turn: Turn, held: Attempt) -> None:
    """Let it go once it ended, its end is committed and its log delivered."""
    if held.live or not held.logged or held.key not in turn.node.dropped:
        return
    if held.handle is None:
        turn.forget(held.key)
    else:
        turn.do(Remove(held.key, held.handle))
