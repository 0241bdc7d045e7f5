"""Who an agent says it is: it is welcomed, or turned away with what to do about it."""

from typing import Final

from msgspec.structs import replace

from eaas.ids import CardUuid, NodeName, is_name
from eaas.wire import from_agent as wire
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas_daemon.core import attempts, links
from eaas_daemon.core import events as e
from eaas_daemon.core.effects import Greet, TurnAway
from eaas_daemon.core.model import Node, Trouble
from eaas_daemon.core.past import older_copy, past_seq
from eaas_daemon.core.state import State
from eaas_daemon.core.trust import name_taken, renamed

OLDER: Final = "its agent is older than this controller and speaks another protocol; upgrade it"
NEWER: Final = (
    "its agent is newer than this controller and speaks another protocol; upgrade the controller"
)
ON_THE_COPY: Final = (
    "; on the copy, stop the agent, remove its state folder (rm -r) and let it join anew: "
    "mini-eaas agent join"
)
OBEYS_ANOTHER: Final = "obeys_another"
INSTANCE_CHARS: Final = 8
"""How much of an agent process's id a sentence says: its end, as the beginning is a time."""


def hello(state: State, event: e.AgentSaidHello, now: float) -> bool:
    """Welcome the agent or turn it away. Answer: whether it was welcomed."""
    said = event.hello
    if (refusal := _refusal(state, event)) is not None:
        code, text = refusal
        _note_upgrade(state, said, code, text)
        if code == "twin":
            _suspect(state, event, now)
        elif code == OBEYS_ANOTHER:
            _note_other_controller(state, said, text, now)
        state.emit(TurnAway(session=event.session, code=code, text=text))
        links.tell_of_refusal(state, said.node, code, text, now)
        return False
    name = NodeName(said.node)
    old = state.nodes.get(name)
    node = links.greeted(_node(event, old, now), old, now)
    state.put_node(node, durable=True)
    links.tell_of_return(state, old, node, now)
    for card in said.inventory.cards:
        state.cool(CardUuid(card.uuid), None)  # this reading is newer than any release before it
    if name in state.orphans:
        state.put_orphans(name, {})  # its agent is about to tell of them anew
    state.rouse_pools_of(name)
    for job in list(state.placed.get(name, {}).values()):
        attempts.found(state, job)
    past = past_seq(state, said, event.told_seq)
    state.emit(Greet(node=name, session=event.session, past_seq=past))
    return True


def _note_upgrade(state: State, said: wire.Hello, code: str, text: str) -> None:
    node = state.nodes.get(NodeName(said.node))
    known = node is not None and node.uid == said.node_uid and node.session is None
    if node is not None and known and code == "needs_upgrade" and node.needs_upgrade != text:
        state.put_node(replace(node, needs_upgrade=text, version=said.version), durable=True)


def _note_other_controller(state: State, said: wire.Hello, text: str, now: float) -> None:
    node = state.nodes.get(NodeName(said.node))
    if node is None or node.uid != said.node_uid or node.session is not None:
        return
    if node.obeys_another is None or node.obeys_another.text != text:
        state.put_node(replace(node, obeys_another=Trouble(text=text, since=now)), durable=True)


def _refusal(state: State, event: e.AgentSaidHello) -> tuple[str, str] | None:
    said = event.hello
    if not is_name(said.node):
        return "bad_name", f"{said.node!r} can't name a node: lower case, digits, . _ - only"
    if said.protocol_min > PROTOCOL_MAX or said.protocol_max < PROTOCOL_MIN:
        return "needs_upgrade", NEWER if said.protocol_min > PROTOCOL_MAX else OLDER
    if (revoked := _revoked(state, event)) is not None:
        return "revoked", revoked
    if (older := older_copy(state, said, event.told_seq)) is not None:
        return OBEYS_ANOTHER, older
    if (taken := name_taken(state, NodeName(said.node), said.node_uid)) is not None:
        return "name_taken", taken
    if (other := renamed(state, NodeName(said.node), said.node_uid)) is not None:
        return "renamed", other
    node = state.nodes.get(NodeName(said.node))
    if node is not None and _is_twin(node, said):
        return "twin", f"{_twin_text(node, event)}{ON_THE_COPY}"
    return None


def _revoked(state: State, event: e.AgentSaidHello) -> str | None:
    """Return why the credential is no good, if it ended while the agent was on its way in."""
    found = None if event.credential is None else state.credentials.get(event.credential)
    if found is None or found.revoked_at is None:
        return None
    return (
        f"{found.revoked_by} revoked its token {found.id}; to let it join again: mini-eaas token "
        f"create --role agent --node {event.hello.node}"
    )


def _is_twin(node: Node, said: wire.Hello) -> bool:
    """Tell whether this is not the process that is counted on as the node.

    While a twin is about, a silent node's place is not for whoever comes first: an agent on a
    machine that was not started anew meanwhile is the node's own, restarted.
    """
    if node.uid != said.node_uid or node.instance == said.instance:
        return False
    if node.session is not None:
        return True
    is_known = node.twin is not None and node.twin.is_sure
    return is_known and node.boot_id != said.boot_id


def _twin_text(node: Node, event: e.AgentSaidHello) -> str:
    first, second = (
        f"{address or 'this host'} (instance {(instance or '')[-INSTANCE_CHARS:]})"
        for address, instance in (
            (node.address, node.instance),
            (event.address, event.hello.instance),
        )
    )
    return (
        f"two agents have the identity of {node.name}: one at {first}, another came from {second}; "
        "its jobs run on, and it takes no new work until an admin says that this is settled: "
        f"mini-eaas node resume {node.name}"
    )


def _suspect(state: State, event: e.AgentSaidHello, now: float) -> None:
    """Give the node no new work; whether its first agent lives shows when that speaks again."""
    node = state.nodes[NodeName(event.hello.node)]
    text = _twin_text(node, event)
    if node.twin is None:
        trouble = Trouble(text=text, since=now, is_sure=False)
        state.put_node(replace(node, twin=trouble), durable=True)
    elif node.twin.text != text:
        state.put_node(replace(node, twin=replace(node.twin, text=text)), durable=True)


def first_speaks(state: State, node: Node, now: float) -> None:
    """Take the word of a node's agent as proof that it lived when another came as the same."""
    if node.twin is not None and not node.twin.is_sure:
        state.put_node(replace(node, twin=replace(node.twin, is_sure=True)), durable=True)
        state.journal("node.twin", node.twin.text, now, node=node.name)


def first_is_gone(node: Node) -> Node:
    """Return the node without a suspicion: who came was itself, and its old connection was dead."""
    return node if node.twin is None or node.twin.is_sure else replace(node, twin=None)


def _node(event: e.AgentSaidHello, old: Node | None, now: float) -> Node:
    said = event.hello
    new = Node(
        name=NodeName(said.node),
        uid=said.node_uid,
        inventory=said.inventory,
        version=said.version,
        boot_id=said.boot_id,
    )
    base = new if old is None else first_is_gone(old)
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
        obeys_another=None,
        cards=said.inventory.cards,
        sampled_at=now,
    )
