"""Attempts of a later past: this controller came out of a backup and does not know them.

Agents tell of them and let them run. What is known for ended is let go; everything else becomes a
job again, with the number it had. Where that can't be, it stays where it is, in the node's
conditions, until a person has made room for it.
"""

from typing import Final

from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import JobNumber, JobUid, NodeName, PoolName, QueueName, UserName
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState, Verb
from eaas.preempt_reasons import Preempted
from eaas.wire.from_agent import AttemptEnded, AttemptRunning, Unlisted
from eaas.wire.to_agent import Order
from eaas_daemon.core import events as e
from eaas_daemon.core.adopted_cards import claims_of_order, taken_card
from eaas_daemon.core.advance import advance
from eaas_daemon.core.attempts import note_running, settle
from eaas_daemon.core.effects import Dispatch, Dropped
from eaas_daemon.core.gang_ends import found_alone
from eaas_daemon.core.model import Attempt, HeldCard, Job, Meeting, Node, StopIntent
from eaas_daemon.core.state import State
from eaas_daemon.core.task_env import told_by

AFTER_THE_BACKUP: Final = "what became of it was decided after the backup that was restored"

LONG_GRACE_S: Final = 600.0
"""For what its node stops already: longer than that takes, so that nothing is cut short."""


def unlisted(state: State, event: e.AgentHolds, now: float) -> None:
    """Adopt an attempt that the agent holds and that this controller did not name, if it can."""
    node = state.nodes.get(event.node)
    if node is None or node.session != event.session:
        return
    said = event.unlisted
    order = said.order
    why_not = _take_in(state, node, said, now)
    _note(state, node.name, said, why_not)
    if why_not is not None:
        words = f"{node.name} runs attempt {order.attempt} of job {order.number}: {why_not}"
        state.journal("node.orphan", words, now, node=node.name, user=order.user or None)


def try_again(state: State, now: float) -> None:
    """Adopt what could not be adopted before: a person may have made a pool or a queue."""
    for name, orphans in list(state.orphans.items()):
        node = state.nodes.get(name)
        if node is None:
            state.put_orphans(name, {})
        elif node.session is not None:
            for said, before in orphans.values():
                why_not = _take_in(state, node, said, now)
                if why_not != before:
                    _note(state, name, said, why_not)


def _note(state: State, node: NodeName, said: Unlisted, why_not: str | None) -> None:
    """Remember why it can't be adopted, or forget it when it was."""
    key = said.order.uid, said.order.attempt
    left = {other: found for other, found in state.orphans.get(node, {}).items() if other != key}
    state.put_orphans(node, left if why_not is None else {**left, key: (said, why_not)})


def of_later_attempt(state: State, node: Node, fact: AttemptEnded, now: float) -> Job | None:
    """Return the job with the attempt that ended, if that is later than all that is known of it."""
    if (known := state.orphans.get(node.name, {}).get((fact.uid, fact.attempt))) is not None:
        _note(state, node.name, known[0], None)
    job = state.job(JobUid(fact.uid))
    if job is None:
        words = (
            f"an attempt ended on {node.name} whose job this controller does not know "
            f"({fact.uid}, attempt {fact.attempt}, exit code {fact.exit_code})"
        )
        state.journal("node.orphan_ended", words, now, node=node.name)
        return None
    if fact.attempt <= _last(job) or job.ref not in state.queues:
        return None  # without a queue it could not wait for another attempt
    if (waiting := _made_pending(state, job, now)) is None:
        return None
    return _begun(state, waiting, node, fact.attempt, (), now)


def _take_in(state: State, node: Node, said: Unlisted, now: float) -> str | None:
    """Adopt the attempt or let it go; return in words why neither can be."""
    order = said.order
    job = state.job(JobUid(order.uid))
    if job is not None and order.attempt <= _last(job):
        live = job.live_attempt
        if live is None or live.number != order.attempt:
            state.emit(Dropped(node=node.name, uid=job.uid, attempt=order.attempt))
            return None
        if live.node == node.name:
            return None
        return f"this controller believes that attempt on {live.node}; look at both nodes"
    if (taken := taken_card(state, node, order)) is not None:
        return taken
    if job is None:
        waiting = _made_anew(state, order, now)
        if isinstance(waiting, str):
            return waiting
    elif job.ref not in state.queues:
        return _no_queue(job.ref)
    elif (ready := _made_pending(state, job, now)) is None:
        return f"job {job.called} is {job.state} with an earlier attempt; wait for that one's end"
    else:
        waiting = ready
    claims = claims_of_order(node, order)
    job = _begun(state, waiting, node, order.attempt, claims, now, _meeting(order))
    words = f"job {job.called}, attempt {order.attempt}, was found running on {node.name}"
    state.journal("job.adopted", words, now, job=job.number, node=node.name, user=job.user)
    _let_run(state, job, said, now)
    return None


def _let_run(state: State, job: Job, said: Unlisted, now: float) -> None:
    order = said.order
    if said.started_at is not None and said.handle is not None:
        fact = AttemptRunning(
            uid=order.uid,
            attempt=order.attempt,
            started_at=said.started_at,
            handle=said.handle,
            image_digest=order.image_digest,
        )
        note_running(state, job, fact, now)
        job = state.jobs[job.uid]
    if said.state == "stopping" and job.state is JobState.RUNNING:
        verb, stop = _stop(order)
        state.put_job(replace(advance(job, verb), stop=stop))
    state.emit(Dispatch(node=job.attempts[-1].node, uid=job.uid))


def _stop(order: Order) -> tuple[Verb, StopIntent]:
    """Return why its node stops it already, as far as its order tells."""
    grace_s = LONG_GRACE_S if order.stop is None else order.stop.grace_s
    if order.stop is not None and order.stop.again:
        first = Preempted(job=None, called="", queue=order.queue or "", user="")
        stop = StopIntent(why="preempted", by="its node", grace_s=grace_s, first=first)
        return Verb.PREEMPTED, stop
    return Verb.CANCEL_ASKED, StopIntent(why="cancelled", by="its node", grace_s=grace_s)


def _last(job: Job) -> int:
    return job.attempts[-1].number if job.attempts else 0


def _no_queue(ref: str | None) -> str:
    return f"its queue {ref} does not exist here; make pool and queue, and it is taken up there"


def _made_anew(state: State, order: Order, now: float) -> Job | str:
    """Return the job as far as its order tells of it, or why there can be none."""
    if not order.user:
        return "nobody knows any more whose job it is; stop it on the node"
    pool, _, queue = (order.queue or "").partition("/")
    if order.queue not in state.queues:
        return _no_queue(order.queue)
    number = JobNumber(order.number)
    if order.number >= state.next_number or state.job_by_number(order.number) is not None:
        number = state.number()
    told = told_by(order.env)
    spec = JobSpec(
        pool=pool,
        queue=queue,
        image=order.image,
        command=order.command,
        gpus=len(order.cards),
        gpu_memory_mib=order.share_mib,
        share=order.share_mib is not None,
        cpus=order.cpus,
        memory_mib=order.memory_mib,
        shm_mib=order.shm_mib,
        env=told.env,
        mounts=order.mounts,
        pack=order.pack,
        workdir=order.workdir,
        run_as=order.run_as,
        timeout_s=order.timeout_s,
        num_nodes=1 if order.rank is None or number != order.number else order.rank.ranks,
    )
    job = Job(
        uid=JobUid(order.uid),
        number=number,
        user=UserName(order.user),
        spec=spec,
        pool=PoolName(pool),
        queue=QueueName(queue),
        state=JobState.PENDING,
        priority=0,
        created_at=now,
        image_digest=order.image_digest,
        timeout_s=order.timeout_s,
    )
    if number == order.number:  # else it has lost its place among the others
        rank = order.rank
        whole = told.array if rank is None else JobNumber(rank.whole)
        index = told.array_index if rank is None else rank.rank
        job = replace(job, array=whole, array_index=index)
    state.put_job(job)
    return job


def _meeting(order: Order) -> Meeting | None:
    rank = order.rank
    return None if rank is None else Meeting(address=rank.address, port=rank.port)


def _made_pending(state: State, job: Job, now: float) -> Job | None:
    """Return the job ready for a later attempt, which proves that the earlier ones are over.

    None while an earlier one is being stopped: that has to end first. What it was to follow has
    succeeded, or there would be no later attempt: nothing would ever take it off the list again.
    """
    if job.ended:
        job = replace(
            advance(job, Verb.RETRIED),
            reason=None,
            finished_at=None,
            keep_until=None,
            stop=None,
            workspace_gone=None,
        )
    elif job.state is not JobState.PENDING:
        if job.stop is not None:
            return None
        lost = r.AttemptLost(text=AFTER_THE_BACKUP)
        settle(state, job, (Verb.REQUEUED, lost), now, tells_ranks=False)
        job = state.jobs[job.uid]
    return replace(job, not_before=None, waits_for=())


def _begun(
    state: State,
    job: Job,
    node: Node,
    number: int,
    cards: tuple[HeldCard, ...],
    now: float,
    meeting: Meeting | None = None,
) -> Job:
    """Return the waiting job with this attempt on this node, its cards claimed."""
    unknown = tuple(
        Attempt(
            number=missing,
            node=node.name,
            node_uid=node.uid,
            cards=(),
            state=JobState.FAILED,
            created_at=now,
            finished_at=now,
            reason=r.AttemptLost(text=AFTER_THE_BACKUP),
        )
        for missing in range(_last(job) + 1, number)
    )
    attempt = Attempt(
        number=number,
        node=node.name,
        node_uid=node.uid,
        cards=cards,
        state=JobState.STARTING,
        created_at=now,
        meeting=meeting,
    )
    job = advance(job, Verb.PLACED)
    attempts = (*job.attempts, *unknown, attempt)
    job = replace(job, attempts=attempts, reason=None, scattered=False)
    state.put_job(job)
    state.claim(job)
    found_alone(state, job)
    return job


def orphans_text(state: State, node: NodeName) -> str | None:
    """Return what a person should know of attempts that run there and are no job here."""
    found = state.orphans.get(node, {}).values()
    told = [
        f"attempt {said.order.attempt} of job {said.order.number}"
        f"{f' of {said.order.user}' if said.order.user else ''}: {why}"
        for said, why in found
    ]
    return None if not told else f"runs what this controller does not know: {'; '.join(told)}"
