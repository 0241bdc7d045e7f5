"""What agents say: who they are, what they hold, what happened, how their cards are."""

from msgspec.structs import replace

from eaas.ids import CardUuid, JobUid, NodeName, is_name
from eaas.lifecycle import JobState
from eaas.wire import from_agent as wire
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas_daemon.core import attempts
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Acknowledge, Dropped, Greet, TurnAway
from eaas_daemon.core.model import Job, Node, Phase
from eaas_daemon.core.state import State

UPGRADE = "its agent speaks another protocol; upgrade it to the controller's version"


def hello(state: State, event: e.AgentSaidHello, now: float) -> bool:
    """Welcome the agent or turn it away. Answer: whether it was welcomed."""
    said = event.hello
    if (refusal := _refusal(state, event)) is not None:
        code, text = refusal
        _note_upgrade(state, said, code)
        state.emit(TurnAway(session=event.session, code=code, text=text))
        state.journal("node.refused", f"{said.node}: {text}", now, node=said.node)
        return False
    name = NodeName(said.node)
    old = state.nodes.get(name)
    node = _node(event, old, now)
    state.put_node(node, durable=True)
    if old is None:
        state.journal("node.joined", f"{name} joined", now, node=name)
    elif old.offline:
        state.journal("node.back", f"{name} is back", now, node=name)
    for card in said.inventory.cards:
        state.cool(CardUuid(card.uuid), None)  # this reading is newer than any release before it
    state.rouse_pools_of(name)
    for job in list(state.placed.get(name, {}).values()):
        attempts.found(state, job)
    state.emit(Greet(node=name, session=event.session))
    return True


def _note_upgrade(state: State, said: wire.Hello, code: str) -> None:
    node = state.nodes.get(NodeName(said.node))
    known = node is not None and node.uid == said.node_uid and node.session is None
    if node is not None and known and code == "needs_upgrade" and node.needs_upgrade is None:
        state.put_node(replace(node, needs_upgrade=UPGRADE, version=said.version), durable=True)


def _refusal(state: State, event: e.AgentSaidHello) -> tuple[str, str] | None:
    said = event.hello
    if not is_name(said.node):
        return "bad_name", f"{said.node!r} can't name a node: lower case, digits, . _ - only"
    if said.protocol_min > PROTOCOL_MAX or said.protocol_max < PROTOCOL_MIN:
        return "needs_upgrade", UPGRADE
    node = state.nodes.get(NodeName(said.node))
    if node is None or node.session is None:
        return _other_machine(state, said, node)
    if node.uid != said.node_uid:
        return "name_taken", f"another agent is connected as {node.name}; give this one --name"
    if node.instance != said.instance:
        return "twin", f"another agent with the identity of {node.name} is connected"
    return None


def _other_machine(state: State, said: wire.Hello, node: Node | None) -> tuple[str, str] | None:
    """Refuse to let a new agent take over a name under which attempts may still run elsewhere."""
    if node is None or node.uid == said.node_uid or not state.placed.get(node.name):
        return None
    return (
        "name_taken",
        f"jobs of another agent named {node.name} may still run; give this one --name, or say "
        f"that they don't: mini-eaas node confirm-dead {node.name}",
    )


def _node(event: e.AgentSaidHello, old: Node | None, now: float) -> Node:
    said = event.hello
    new = Node(
        name=NodeName(said.node),
        uid=said.node_uid,
        inventory=said.inventory,
        version=said.version,
        boot_id=said.boot_id,
    )
    base = new if old is None else old
    return replace(
        base,
        uid=said.node_uid,
        inventory=said.inventory,
        version=said.version,
        boot_id=said.boot_id,
        instance=said.instance,
        spool_id=said.spool_id,
        address=event.address,
        session=event.session,
        last_seen_at=now,
        offline=False,
        offline_since=None,
        needs_upgrade=None,
        revoked=None,
        cards=said.inventory.cards,
        sampled_at=now,
    )


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
    words = f"the workspace of job {job.number} on {node.name} was deleted ({fact.why})"
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
    _note_card_changes(state, node, fresh, now)
    _warm(state, fresh)
    state.put_node(fresh, durable=False)


def _warm(state: State, node: Node) -> None:
    """Offer cards again that were read clean after they had been released."""
    for card in node.cards:
        released_at = state.cooling.get(CardUuid(card.uuid))
        if released_at is None or card.state != "free" or node.sampled_at is None:
            continue
        if node.sampled_at > released_at:
            state.cool(CardUuid(card.uuid), None)
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
        state.touched.add(job.uid)


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
        state.put_node(replace(node, session=None, last_seen_at=now), durable=True)


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
        f"the log of job {job.number}, attempt {event.attempt} ({size_mib:.1f} MiB), was deleted: "
        "logs have reached their budget on this disk, and the oldest go first"
    )
    state.journal("log.dropped", words, now, job=job.number, user=job.user)


def folder_noted(state: State, event: e.FolderNoted, now: float) -> None:
    """Say in the journal that a watched folder is out of use, in use again, or another."""
    if event.replaced:
        words = f"another folder is at {event.path} now (mounted? unmounted?); jobs run on"
        state.journal("folder.replaced", words, now)
    elif event.wrong is None:
        state.journal("folder.enabled", f"{event.path} is watched again", now)
    else:
        state.journal("folder.disabled", f"nothing is taken: {event.wrong}", now)


def settings_reread(state: State, event: e.SettingsReread, now: float) -> None:
    """Say in the journal that the controller read its settings again."""
    state.journal("controller.reloaded", f"the settings were read again: {event.outcome}", now)
