"""Who may come in from elsewhere: tokens made and revoked, agents that join."""

from typing import Final

from msgspec.structs import replace

from eaas.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from eaas.errors import FieldError as Mistake
from eaas.ids import NodeName, UserName, is_name
from eaas.spelling import shown
from eaas.units import moment_text
from eaas_daemon.core import events as e
from eaas_daemon.core.credential import PERSON_ROLES, Credential
from eaas_daemon.core.effects import Expel, TurnAway
from eaas_daemon.core.model import Node, Trouble
from eaas_daemon.core.silence import go_offline
from eaas_daemon.core.state import State

KEPT_S: Final = 90 * 86400.0
"""How long a token that lets nobody in stays in the list."""
MAX_USES: Final = 10_000
MAX_LIFE_S: Final = 100 * 365 * 86400.0
MAX_USER_CHARS: Final = 63


class NotProved(Forbidden):
    """The machine has joined before and does not show that it is the same one."""

    code = "not_proved"


class NameTaken(Conflict):
    """Another machine has that name."""

    code = "name_taken"


def create_token(state: State, event: e.CreateToken, now: float) -> Credential:
    """Let a new token be known."""
    _may_make(event)
    if mistakes := tuple(_mistakes(event, now)):
        raise Invalid(mistakes)
    is_persons = event.role in PERSON_ROLES
    made = Credential(
        id=event.id,
        role=event.role,
        secret_hash=event.secret_hash,
        created_at=now,
        created_by=event.caller.user,
        user=(event.user or event.caller.user) if is_persons else None,
        expires_at=event.expires_at,
        uses_left=event.uses,
        node=event.node,
        made_with=event.caller.credential,
    )
    state.put_credential(made)
    agents = "agents that join" if made.node is None else f"the agent of {made.node}"
    whom = f"{made.role} {made.user}" if is_persons else agents
    until = "for good" if made.expires_at is None else f"until {moment_text(made.expires_at)}"
    _note(state, event, "token.created", f"made token {made.id} for {whom}, {until}", now)
    return made


def _may_make(event: e.CreateToken) -> None:
    caller = event.caller
    if caller.admin:
        return
    if caller.credential is not None:
        raise Forbidden(
            "a token makes no other: what you made would outlive it. Make it on the controller's "
            "host, or ask an admin"
        )
    if event.role == "agent":
        raise Forbidden(f"only an admin lets machines join, and you are {caller.user}")
    if PERSON_ROLES.index(event.role) > PERSON_ROLES.index(caller.role):
        raise Forbidden(f"you are a {caller.role} and can't make a token for an {event.role}")
    if event.user not in (None, caller.user):
        raise Forbidden(f"only an admin makes tokens for others, and you are {caller.user}")


def _mistakes(event: e.CreateToken, now: float) -> list[Mistake]:
    wrong = []
    if event.expires_at is not None and event.expires_at <= now:
        wrong.append(Mistake(field="expires_s", message="expires_s: must be more than 0"))
    elif event.expires_at is not None and event.expires_at - now > MAX_LIFE_S:
        message = "expires_s: must be a hundred years at most; null is for good"
        wrong.append(Mistake(field="expires_s", message=message))
    if event.uses is not None and event.role != "agent":
        message = "uses: only a token for agents is counted; a person's ends by its time"
        wrong.append(Mistake(field="uses", message=message))
    elif event.uses is not None and not 0 < event.uses <= MAX_USES:
        wrong.append(Mistake(field="uses", message=f"uses: must be from 1 to {MAX_USES}"))
    if event.node is not None and event.role != "agent":
        message = "node: a person's token is for no machine; --role agent makes one"
        wrong.append(Mistake(field="node", message=message))
    elif event.node is not None and not is_name(event.node):
        wrong.append(Mistake(field="node", message=f"node: {shown(event.node)} can't name a node"))
    if event.user is not None and event.role == "agent":
        wrong.append(Mistake(field="user", message="user: a token for agents is nobody's own"))
    elif event.user is not None and not is_user_name(event.user):
        wrong.append(Mistake(field="user", message=f"user: {shown(event.user)} names no user"))
    return wrong


def is_user_name(text: str) -> bool:
    """Tell whether the text can name a user of this host."""
    return 0 < len(text) <= MAX_USER_CHARS and text.isprintable() and not set(text) & set(" :/")


def revoke_token(state: State, event: e.RevokeToken, now: float) -> Credential:
    """Let the token let nobody in any more; whoever came in by it has to leave."""
    found = state.credentials.get(event.id)
    if found is None or not (event.caller.admin or found.user == event.caller.user):
        raise NotFound(f"there is no token {shown(event.id)} of yours; mini-eaas token list")
    if found.revoked_at is not None:
        return found
    _note(state, event, "token.revoked", f"revoked token {found.id}", now)
    for each in _of_one_line(state, found):
        if each.revoked_at is None:
            state.put_credential(replace(each, revoked_at=now, revoked_by=event.caller.user))
            state.emit(Expel(credential=each.id))
    if found.node is not None:
        _shut_out(state, found, event, now)
    return state.credentials[found.id]


def _of_one_line(state: State, found: Credential) -> list[Credential]:
    """Return what ends with it: of a node all it has, as a thief may have renewed one."""
    if found.node_uid is None:
        return [found]
    return [each for each in state.credentials.values() if each.node_uid == found.node_uid]


def _shut_out(state: State, credential: Credential, event: e.RevokeToken, now: float) -> None:
    """Take no more of the node's word; what runs there is not killed and not believed ended."""
    node = state.nodes.get(NodeName(credential.node or ""))
    if node is None or node.uid != credential.node_uid:
        return
    text = (
        f"{event.caller.user} revoked its token {credential.id}; to let it join again: mini-eaas "
        f"token create --role agent --node {node.name}"
    )
    if node.session is not None:
        state.emit(TurnAway(session=node.session, code="revoked", text=text))
    node = replace(node, revoked=Trouble(text=text, since=now), session=None)
    state.put_node(node, durable=True)
    if not node.offline:
        go_offline(state, node, now)


def forget_node(state: State, node: Node) -> None:
    """Let nothing that the node was given let anybody in any more."""
    for each in list(state.credentials.values()):
        if each.node_uid == node.uid:
            state.drop_credential(each.id)
            state.emit(Expel(credential=each.id))


def join(state: State, event: e.JoinNode, now: float) -> Credential:
    """Let an agent in by a join token; it gets a credential of its own."""
    token = known(state, event.token, now)
    if token.role != "agent":
        raise Forbidden(f"token {token.id} is not for agents: mini-eaas token create --role agent")
    if not is_name(event.node):
        raise Invalid(
            (
                Mistake(
                    field="node",
                    message=f"node: {shown(event.node)} can't name a node: lower case, digits, "
                    ". _ - only",
                ),
            )
        )
    name = NodeName(event.node)
    if token.node not in (None, name):
        raise Forbidden(f"token {token.id} lets {token.node} join and no other machine")
    refusal = renamed(state, name, event.node_uid) or name_taken(state, name, event.node_uid)
    if refusal is not None:
        raise NameTaken(refusal)
    again = _again(state, event, token, name, now)
    left = None if token.uses_left is None else token.uses_left - 1
    state.put_credential(
        replace(
            token,
            uses_left=left,
            used_at=token.used_at or now,
            used_from=token.used_from or event.address,
        )
    )
    _forget_unused(state, event.node_uid)
    made = _for_node(event.id, event.secret_hash, token.created_by, name, event.node_uid, now)
    state.put_credential(made)
    times = "" if left is None else f", which lets {left} more in"
    text = f"{name} was let in{again} from {event.address} by token {token.id}{times}"
    state.journal("token.used", text, now, node=name, user=token.created_by)
    return made


def _again(state: State, event: e.JoinNode, token: Credential, name: NodeName, now: float) -> str:
    """Return in words how a machine that has joined before proved it; empty for a new one.

    Node uids are no secret: without proof whoever holds a token could take a node's place.
    """
    if not _has_joined(state, event.node_uid):
        return ""
    if token.node == name:
        return " again, since the token is for it,"
    shown = state.credentials.get(event.proof or "")
    if shown is not None and shown.node_uid == event.node_uid and shown.refusal(now) is None:
        return f" again, by showing its credential {shown.id},"
    raise NotProved(
        f"{name} has joined already, and what asks does not show that it is the same machine. If "
        f"it is, an admin types: mini-eaas token create --role agent --node {name}. A copy of its "
        "disk or state folder needs another identity: remove that folder there"
    )


def _has_joined(state: State, node_uid: str) -> bool:
    return any(node.uid == node_uid for node in state.nodes.values()) or any(
        each.node_uid == node_uid and each.used_at is not None
        for each in state.credentials.values()
    )


def renew(state: State, event: e.RenewCredential, now: float) -> Credential:
    """Give a node another credential; the old one lets it in until the new one has."""
    old = known(state, event.old, now)
    assert old.node is not None
    assert old.node_uid is not None
    _forget_unused(state, old.node_uid, but=old.id)
    made = _for_node(event.id, event.secret_hash, old.created_by, old.node, old.node_uid, now)
    state.put_credential(made)
    return made


def used(state: State, event: e.CredentialUsed, now: float) -> None:
    """Note a token's first use; a node's new credential ends those it had before."""
    credential = state.credentials.get(event.id)
    if credential is None or credential.used_at is not None:
        return
    state.put_credential(replace(credential, used_at=now, used_from=event.address))
    if credential.node_uid is None:
        text = f"token {credential.id} was used for the first time, from {event.address}"
        state.journal("token.first_used", text, now, user=credential.user)
        return
    for other in list(state.credentials.values()):
        is_older = other.created_at <= credential.created_at and other.id != credential.id
        if other.node_uid == credential.node_uid and is_older:
            state.drop_credential(other.id)


def known(state: State, id: str, now: float) -> Credential:
    """Return the credential if it lets anybody in."""
    found = state.credentials.get(id)
    if found is None:
        raise Unauthenticated(f"the controller does not know token {shown(id)}")
    if (refusal := found.refusal(now)) is not None:
        raise Unauthenticated(refusal)
    return found


def renamed(state: State, name: NodeName, uid: str) -> str | None:
    """Return why a node can't have another name than the one it is known by; None if it has not."""
    old = next((node for node in state.nodes.values() if node.uid == uid), None)
    if old is None or old.name == name:
        return None
    return (
        f"this agent is the node {old.name} and calls itself {name} now: let it be called "
        f"{old.name} again (name: in its agent.yaml), or rename it: mini-eaas node remove "
        f"{old.name}, then start it again; elsewhere than on this host, mini-eaas agent join comes "
        f"first. A copy of the disk of {old.name} needs a state folder of its own: remove it (rm "
        "-r) and join anew"
    )


def name_taken(state: State, name: NodeName, uid: str) -> str | None:
    """Return why another machine can't take over a name; None when it can."""
    node = state.nodes.get(name)
    if node is None or node.uid == uid:
        return None
    if node.session is not None:
        return f"another agent is connected as {name}; give this one --name"
    if state.placed.get(name):
        return (
            f"jobs of another agent named {name} may still run; give this one --name, or say "
            f"that they don't: mini-eaas node confirm-dead {name}"
        )
    return None


def expire(state: State, since: float, now: float) -> None:
    """Let out who came in by what has expired between these times; forget what is long over."""
    for credential in list(state.credentials.values()):
        end = credential.expires_at
        if end is not None and since < end <= now and credential.revoked_at is None:
            state.emit(Expel(credential=credential.id))
        over = min(end or now, credential.revoked_at or now)
        if over < now - KEPT_S:
            state.drop_credential(credential.id)


def _for_node(
    id: str, secret_hash: bytes, by: UserName, name: NodeName, uid: str, now: float
) -> Credential:
    return Credential(
        id=id,
        role="node",
        secret_hash=secret_hash,
        created_at=now,
        created_by=by,
        node=name,
        node_uid=uid,
    )


def _forget_unused(state: State, node_uid: str, but: str = "") -> None:
    """Drop what was given to the node and never came back: its answer was lost."""
    for other in list(state.credentials.values()):
        if other.node_uid == node_uid and other.used_at is None and other.id != but:
            state.drop_credential(other.id)


def _note(state: State, event: e.Asked, kind: str, words: str, now: float) -> None:
    state.journal(kind, f"{event.caller.user} {words}", now, user=event.caller.user)
