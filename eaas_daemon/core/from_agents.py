"""What agents say once they are welcome: what happened, and how their cards are."""

from msgspec.structs import replace

from eaas.ids import CardUuid, JobUid, NodeName
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas_daemon.core import adoption, attempts, links
from eaas_daemon.core import events as e
from eaas_daemon.core.card_claims import is_shared, note_overuse
from eaas_daemon.core.effects import Acknowledge, Dropped
from eaas_daemon.core.greeting import first_is_gone, first_speaks
from eaas_daemon.core.link_history import LinkEnd, ended
from eaas_daemon.core.model import Job, Node, Phase
from eaas_daemon.core.reserve import is_coming
from eaas_daemon.core.state import State


def _connected(state: State, name: NodeName, session: str) -> Node | None:
    """Return the node if this is its live connection; a word from an older one is ignored."""
    node = state.nodes.get(name)
    return node if node is not None and node.session == session else None


def facts(state: State, event: e.AgentSaidFacts, now: float) -> None:
    """Take the facts that are new, in order, and have them acknowledged once stored."""
    node = _connected(state, event.node, event.session)
    if node is None or not event.facts.facts:
        return
    spool_id = event.facts.spool_id
    before = taken = state.spools.get(spool_id, 0)
    first = None
    for spooled in event.facts.facts:
        if spooled.seq <= taken:
            continue
        _take(state, node, spooled.fact, now)
        taken = spooled.seq
        first = taken if first is None else first
    if first is not None:
        state.put_spool(spool_id, first, taken)
    state.emit(Acknowledge(node=node.name, spool_id=spool_id, seq=max(before, taken)))


def _take(state: State, node: Node, fact: wire.Fact, now: float) -> None:
    if isinstance(fact, wire.WorkspaceGone):
        _note_workspace_gone(state, node, fact, now)
        return
    job = _live(state, node, fact.uid, fact.attempt)
    if job is None and isinstance(fact, wire.AttemptEnded):
        job = adoption.of_later_attempt(state, node, fact, now)
    if job is None:
        if isinstance(fact, wire.AttemptEnded):
            state.emit(Dropped(node=node.name, uid=JobUid(fact.uid), attempt=fact.attempt))
        return
    if isinstance(fact, wire.AttemptRunning):
        attempts.note_running(state, job, fact, now)
    elif isinstance(fact, wire.AttemptStopping):
        attempts.note_stopping(state, job, fact, now)
    else:
        attempts.note_ended(state, job, fact, now)


def _note_workspace_gone(state: State, node: Node, fact: wire.WorkspaceGone, now: float) -> None:
    job = state.job(JobUid(fact.uid))
    if job is None or not job.ended or not job.attempts or job.attempts[-1].node != node.name:
        return
    state.put_job(replace(job, workspace_gone=fact.why))
    words = f"the workspace of job {job.called} on {node.name} was deleted ({fact.why})"
    state.journal("workspace.gone", words, now, job=job.number, node=node.name, user=job.user)


def _live(state: State, node: Node, uid: str, attempt: int) -> Job | None:
    """Return the job if this is its live attempt on this node; a late word about another is not."""
    job = state.jobs.get(JobUid(uid))
    live = None if job is None else job.live_attempt
    if live is None or live.number != attempt or live.node != node.name:
        return None
    return job


def beat(state: State, event: e.AgentBeat, now: float) -> None:
    """Take fresh readings."""
    node = _connected(state, event.node, event.session)
    if node is None:
        return
    said = event.beat
    fresh = replace(
        node,
        last_seen_at=now,
        memory_used_mib=said.memory_used_mib,
        cards=said.cards,
        sampled_at=said.sampled_at,
    )
    fresh = links.note_clock(state, fresh, said.clock_ahead_s, now)
    _note_card_changes(state, node, fresh, now)
    note_overuse(state, node, fresh, now)
    _warm(state, node, fresh)
    state.put_node(fresh, durable=False)
    first_speaks(state, fresh, now)


def _warm(state: State, old: Node, node: Node) -> None:
    """Offer cards again that were read clean after they had been released.

    A card on which other jobs still are can't be clean; there it is enough that it was read, for
    its node then says what is in use beyond what they declared.

    Nobody waits any longer for one that has not been for long.
    """
    for card in node.cards:
        released_at = state.cooling.get(CardUuid(card.uuid))
        if released_at is None or node.sampled_at is None:
            continue
        is_clean = card.state == "free" or (
            card.state == "held" and is_shared(state, node.name, card.uuid)
        )
        if is_clean and node.sampled_at > released_at:
            state.cool(CardUuid(card.uuid), None)
            state.rouse_pools_of(node.name)
        elif is_coming(old, released_at) and not is_coming(node, released_at):
            state.rouse_pools_of(node.name)


def _note_card_changes(state: State, old: Node, new: Node, now: float) -> None:
    before = {card.uuid: card.state for card in old.cards}
    for card in new.cards:
        was = before.get(card.uuid)
        if was == card.state or card.state not in ("foreign", "dirty", "sick"):
            continue
        words = f"card {card.index} of {new.name} is {card.state}: {card.text or 'no reason given'}"
        state.journal(f"card.{card.state}", words, now, node=new.name)


def progress(state: State, event: e.AgentProgress, now: float) -> None:
    """Take what an attempt does before it runs."""
    node = _connected(state, event.node, event.session)
    said = event.progress
    job = None if node is None else _live(state, node, said.uid, said.attempt)
    if job is not None and job.state is JobState.STARTING:
        state.phases[job.uid] = Phase(
            name=said.name, done_bytes=said.done_bytes, total_bytes=said.total_bytes
        )
        state.draft.touched.add(job.uid)


def inventory(state: State, event: e.AgentInventory, now: float) -> None:
    """Take what the node has now."""
    node = _connected(state, event.node, event.session)
    if node is None:
        return
    fresh = replace(node, last_seen_at=now, inventory=event.inventory, cards=event.inventory.cards)
    fresh = replace(fresh, sampled_at=node.sampled_at)
    _note_faults(state, node, fresh, now)
    state.put_node(fresh, durable=True)


def _note_faults(state: State, old: Node, new: Node, now: float) -> None:
    before, after = dict(old.inventory.faults), dict(new.inventory.faults)
    for code, text in after.items():
        if code not in before:
            state.journal(f"node.{code}", f"{new.name}: {text}", now, node=new.name)
    for code in before:
        if code not in after:
            words = f"{new.name} is over its {code}"
            state.journal("node.recovered", words, now, node=new.name)


def gone(state: State, event: e.AgentGone, now: float) -> None:
    """Begin to count the node's silence."""
    node = _connected(state, event.node, event.session)
    if node is not None:
        end = LinkEnd(at=now, why=event.why, address=node.address, by=event.by)
        silent = replace(first_is_gone(node), session=None, last_seen_at=now)
        state.put_node(replace(silent, link=ended(node.link, end)), durable=True)


def log_finished(state: State, event: e.LogFinished, now: float) -> None:
    """Note that an attempt's whole log is on our disk."""
    end = event.end
    job = state.job(JobUid(end.uid))
    if job is None:
        return
    told = tuple(
        replace(
            attempt,
            stdout_bytes=end.stdout_bytes,
            stderr_bytes=end.stderr_bytes,
            gap_bytes=end.gap_bytes,
            log_complete=True,
        )
        if attempt.number == end.attempt
        else attempt
        for attempt in job.attempts
    )
    state.put_job(replace(job, attempts=told))


def log_dropped(state: State, event: e.LogWasDropped, now: float) -> None:
    """Say in the journal whose log is gone, and why."""
    job = state.job(event.uid)
    if job is None:
        return
    size_mib = event.size_bytes / (1 << 20)
    words = (
        f"the log of job {job.called}, attempt {event.attempt} ({size_mib:.1f} MiB), was deleted: "
        "logs have reached their budget on this disk, and the oldest go first"
    )
    state.journal("log.dropped", words, now, job=job.number, user=job.user)


def folder_noted(state: State, event: e.FolderNoted, now: float) -> None:
    """Say in the journal that a watched folder is out of use, in use again, or another."""
    if event.replaced:
        words = f"another folder is at {event.path} now (mounted? unmounted?); jobs run on"
        state.journal("folder.replaced", words, now)
    elif event.doubt:
        words = f"{event.path}: {event.wrong or 'where its jobs go is right again'}"
        state.journal("folder.doubtful" if event.wrong else "folder.right", words, now)
    elif event.wrong is None:
        state.journal("folder.enabled", f"{event.path} is watched again", now)
    else:
        state.journal("folder.disabled", f"nothing is taken: {event.wrong}", now)


def settings_reread(state: State, event: e.SettingsReread, now: float) -> None:
    """Say in the journal that the controller read its settings again."""
    state.journal("controller.reloaded", f"the settings were read again: {event.outcome}", now)
