"""Whether this controller has in its past what an agent obeyed before, or is an older copy."""

from eaas.lives import Obeyed, is_older_copy, named
from eaas.wire.from_agent import Hello
from eaas_daemon.core.state import State


def past_seq(state: State, said: Hello, told_seq: int | None) -> int | None:
    """Return how far this controller knows the life that the agent obeyed; None: not at all.

    Of its own life it is what the agent was told, ``told_seq``: a machine whose memory was put
    back to an earlier moment goes on counting, but has not said what the agent has heard.
    """
    if said.life == state.life:
        return told_seq
    return state.lives.get(said.life)


def older_copy(state: State, said: Hello, told_seq: int | None) -> str | None:
    """Return in a sentence why the agent can't obey this controller; None if it can."""
    known = past_seq(state, said, told_seq)
    obeyed = Obeyed(epoch=said.epoch, life=said.life, seq=said.life_seq)
    if not is_older_copy(obeyed, epoch=state.epoch, past_seq=known):
        return None
    knows = "nothing of it" if known is None else f"it only up to change {known}"
    return (
        f"{said.node} obeys another copy of this controller: life {named(said.life)} (epoch "
        f"{said.epoch}, up to change {said.life_seq}); this one is life {named(state.life)} "
        f"(epoch {state.epoch}) and knows {knows}, so it is the older one. The node does nothing "
        "for it and its jobs run on. Stop this copy and start the right one; if that is lost, stop "
        "this one, and then: mini-eaas controller restore BACKUP"
    )
