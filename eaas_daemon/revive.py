"""The controller's state as it was when it last stopped."""

from msgspec.structs import replace

from eaas_daemon.core.state import Archive, State
from eaas_daemon.store.transactions import Loaded


def revive(loaded: Loaded, archive: Archive) -> State:
    """Return the state from what the store had: nobody is connected yet, every job as it was.

    A node's cards are those it last named, so that what could fit is known before it is back.
    """
    state = State(archive, epoch=loaded.epoch, next_number=loaded.next_number, seq=loaded.seq)
    for pool in loaded.pools:
        state.put_pool(pool)
    for queue in loaded.queues:
        state.put_queue(queue)
    for credential in loaded.credentials:
        state.put_credential(credential)
    for node in loaded.nodes:
        known = replace(node, session=None, cards=node.inventory.cards)
        state.put_node(known, durable=True)
    for job in loaded.jobs:
        state.put_job(job)
    state.spools.update(loaded.spools)
    state.settle()
    return state
