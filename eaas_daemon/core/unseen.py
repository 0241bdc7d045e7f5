"""Machines that have joined and whose agent has never run: no node yet, and not nothing either."""

from eaas.ids import NodeName
from eaas.lifecycle import NodeState
from eaas.node_views import NodeView
from eaas.units import utc_text
from eaas.views import ConditionView
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.effects import Expel
from eaas_daemon.core.state import State


def unseen(state: State, now: float) -> dict[NodeName, Credential]:
    """Return by name what each of them was given last and has not come in by yet."""
    nodes = state.nodes
    joined = sorted(state.credentials.values(), key=lambda each: (each.created_at, each.id))
    return {
        each.node: each
        for each in joined
        if each.node is not None and each.role == "node" and each.node not in nodes
        if each.refusal(now) is None
    }


def unseen_view(given: Credential) -> NodeView:
    """Return such a machine as a node of which nothing is known."""
    since = utc_text(given.created_at)
    text = "it has joined, and its agent has not run yet; there: mini-eaas agent run"
    return NodeView(
        name=given.node or "",
        uid=given.node_uid or "",
        state=NodeState.OFFLINE,
        conditions=(ConditionView(code="never_seen", text=text, since=since),),
        address=None,
        version=None,
        runtime=None,
        engine=None,
        pools=(),
        labels={},
        cpus=None,
        cpus_used=0.0,
        memory_mib=None,
        memory_used_mib=None,
        boot_id=None,
        last_seen_at=None,
        cards=(),
        jobs=(),
        images=(),
    )


def forget_unseen(state: State, name: NodeName) -> bool:
    """Let what the machine was given let it in no more; False if there is no such machine."""
    if name in state.nodes:
        return False
    given = [each for each in state.credentials.values() if each.node == name]
    mine = [each for each in given if each.role == "node"]
    for each in mine:
        state.drop_credential(each.id)
        state.emit(Expel(credential=each.id))
    return bool(mine)
