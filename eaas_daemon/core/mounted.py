"""Whether a node can give a job the mounts it asks for, and if not, why."""

from collections.abc import Iterable, Iterator

from eaas import reasons as r
from eaas.job_mounts import MountAsk, may_have
from eaas.spelling import nearest
from eaas.wire.from_agent import NamedMount
from eaas_daemon.core.ask import Ask
from eaas_daemon.core.model import Node


def never_mounted(node: Node, ask: Ask) -> Iterator[r.NodeReason]:
    """Yield what keeps the node from these mounts until a person changes something."""
    if not ask.mounts:
        return
    if node.inventory.runtime == "process":
        yield r.RuntimeCannotMount(node=node.name)
        return
    there = {mount.name: mount for mount in node.inventory.named_mounts}
    reasons = (_never(node, there.get(asked.name), asked, ask) for asked in ask.mounts)
    yield from dict.fromkeys(reason for reason in reasons if reason is not None)


def unmounted(node: Node, ask: Ask) -> r.NodeReason | None:
    """Return why a mount that the node has can't be used now, or None if all can."""
    names = {asked.name for asked in ask.mounts}
    for mount in node.inventory.named_mounts:
        if mount.name in names and mount.unavailable is not None:
            return r.MountUnavailable(node=node.name, mount=mount.name, text=mount.unavailable)
    return None


def mount_hint(nodes: Iterable[Node], ask: Ask) -> str | None:
    """Return what a job may have meant that names a mount which none of these nodes has."""
    mounts = [
        mount
        for node in nodes
        if node.inventory.runtime == "docker"
        for mount in node.inventory.named_mounts
    ]
    known = {mount.name for mount in mounts}
    wrong = [asked.name for asked in ask.mounts if asked.name not in known]
    there = {
        mount.name
        for mount in mounts
        if may_have(mount.users, mount.queues, user=ask.user, ref=ask.ref)
    }
    if not wrong or not there:
        return None
    if (near := nearest(wrong[0], sorted(there))) is not None:
        return f"did you mean mount {near}?"
    return f"the mounts there are: {', '.join(sorted(there))}"


def _never(node: Node, mount: NamedMount | None, asked: MountAsk, ask: Ask) -> r.NodeReason | None:
    if mount is None:
        return r.MountMissing(node=node.name, mount=asked.name)
    if not may_have(mount.users, mount.queues, user=ask.user, ref=ask.ref):
        allowed = _owners(mount)
        return r.MountNotAllowed(node=node.name, mount=mount.name, allowed=allowed)
    if mount.read_only and asked.writable:
        return r.MountReadOnly(node=node.name, mount=mount.name, target=asked.target)
    if mount.people is not None and mount.unavailable is None and ask.user not in mount.people:
        return r.MountWithoutFolder(node=node.name, mount=mount.name, user=ask.user)
    return None


def _owners(mount: NamedMount) -> str:
    queues = ", ".join(mount.queues)
    noun = "queue" if len(mount.queues) == 1 else "queues"
    words = [", ".join(mount.users), f"{noun} {queues}" if queues else ""]
    return " in ".join(filter(None, words))
