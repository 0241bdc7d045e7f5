"""Where the ranks of a job on several nodes meet: the first one's address and a port for it."""

from collections.abc import Sequence
from typing import Final

from eaas.loopback import is_loopback
from eaas_daemon.core.model import Job, Meeting, Node
from eaas_daemon.core.state import State

PORTS: Final = range(29500, 32000)
"""From PyTorch's own default up to where systems begin to hand out ports by themselves (32768)."""
APART: Final = 101
"""How far the ports of two attempts of one job are apart: the last one's may still be in use."""
HERE: Final = "127.0.0.1"


def known_address(node: Node) -> str | None:
    """Return how other machines reach the node: as its owner says, else as it came to us.

    None of one that came from the controller's own host, where nothing tells how others see it.
    """
    if node.inventory.address is not None:
        return node.inventory.address
    address = node.address
    if address is None or is_loopback(address):
        return None
    return address.removeprefix("::ffff:")


def can_lead(nodes: Sequence[Node]) -> list[Node]:
    """Return those of the nodes where all the others can reach the first rank."""
    known = [node for node in nodes if known_address(node) is not None]
    return known or list(nodes)  # all of them are on the controller's host


def meeting_of(state: State, job: Job, node: Node) -> Meeting | None:
    """Return where the rank that is placed there meets the others; None of what is no rank.

    The first rank is placed first, and the others are told what it was.
    """
    if not job.is_rank:
        return None
    if job.number != job.array:
        first = state.jobs[state.arrays.of(job.array or 0)[0]]
        return first.attempts[-1].meeting
    address = known_address(node) or HERE
    taken = {
        other.attempts[-1].meeting
        for jobs in state.placed.values()
        for other in jobs.values()
        if other.is_rank
    }
    start = job.number + APART * len(job.attempts)
    ports = (PORTS[(start + step) % len(PORTS)] for step in range(len(PORTS)))
    meetings = (Meeting(address=address, port=port) for port in ports)
    return next((one for one in meetings if one not in taken), Meeting(address=HERE, port=PORTS[0]))
