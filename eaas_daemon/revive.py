"""The controller's state as it was when it last stopped."""

from typing import Final

from msgspec.structs import replace

from eaas_daemon.core.archive import Archive
from eaas_daemon.core.link_history import LinkEnd, ended
from eaas_daemon.core.model import Node
from eaas_daemon.core.state import State
from eaas_daemon.core.usage import past
from eaas_daemon.store.transactions import Loaded

DIED: Final = "the controller ended without a goodbye"


def revive(loaded: Loaded, archive: Archive) -> State:
    """Return the state from what the store had: nobody is connected yet, every job as it was.

    A node's cards are those it last named, so that what could fit is known before it is back.
    """
    state = State(
        archive,
        epoch=loaded.epoch,
        next_number=loaded.next_number,
        seq=loaded.seq,
        life=loaded.life,
        lives=loaded.lives,
    )
    for pool in loaded.pools:
        state.put_pool(pool)
    for queue in loaded.queues:
        state.put_queue(queue)
    for credential in loaded.credentials:
        state.put_credential(credential)
    for node in loaded.nodes:
        known = replace(_cut_off(node), session=None, cards=node.inventory.cards)
        state.put_node(known, durable=True)
    for job in loaded.jobs:
        state.put_job(job)
    for booking in loaded.bookings:
        state.put_booking(booking)
    state.next_booking = loaded.next_booking
    state.usage.update(past(loaded.spans, state.pools, loaded.at))
    state.spools.update(loaded.spools)
    for job in sorted(loaded.succeeded, key=lambda job: job.finished_at or 0.0):
        state.note_run(job)
    state.settle()
    return state


def _cut_off(node: Node) -> Node:
    """Return the node with the end of the connection that it had when the controller died."""
    if node.session is None:
        return node
    end = LinkEnd(at=node.last_seen_at or 0.0, why=DIED, address=node.address, by="controller")
    return replace(node, link=ended(node.link, end))
