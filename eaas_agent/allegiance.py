"""Which controller this agent obeys, and which one is only an older copy of it. Pure.

Every start of a controller is a life of its own, with a random id, and its database keeps how far
each earlier life came. Whoever was obeyed last has to be in the past of whoever is to be obeyed
next, as far as it was heard: a copy that was taken before does not know that, however it came to
be started. Only a restore that a person asked for raises the epoch and needs no such past.
"""

from typing import Final

import msgspec

from eaas.wire.to_agent import Welcome

SHOWN: Final = 8
"""The end of a life's id tells two apart; its beginning is a time."""


class Obeyed(msgspec.Struct, frozen=True, kw_only=True):
    """Who was obeyed last: the highest epoch, the life, and its last change that was heard of."""

    epoch: int = 0
    life: str = ""
    seq: int = 0


def refusal(obeyed: Obeyed, welcome: Welcome) -> str | None:
    """Return why the controller that says welcome is not to be obeyed; None if it is."""
    return why_not(obeyed, epoch=welcome.epoch, life=welcome.life, past_seq=welcome.past_seq)


def why_not(obeyed: Obeyed, *, epoch: int, life: str, past_seq: int | None) -> str | None:
    """Return in a sentence why this controller is not to be obeyed; None if it is.

    ``past_seq`` is how far it says that it knows the obeyed life.
    """
    if epoch > obeyed.epoch:
        return None
    if epoch == obeyed.epoch and (
        not obeyed.life or (past_seq is not None and past_seq >= obeyed.seq)
    ):
        return None
    knows = "nothing of that" if past_seq is None else f"that only up to change {past_seq}"
    return (
        f"it is an older copy of the controller this node obeys: that was life "
        f"{named(obeyed.life)} (epoch {obeyed.epoch}, up to change {obeyed.seq}), this is life "
        f"{named(life)} (epoch {epoch}) and knows {knows}. Nothing is done for it, jobs run on. "
        "Stop the copy and start the right one; if that is lost, on the copy's host: mini-eaas "
        "controller restore BACKUP"
    )


def named(life: str) -> str:
    """Return how a sentence names a life."""
    return life[-SHOWN:] or "of an older version"
