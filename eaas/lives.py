"""Which copy of a controller is an older one: the rule that both its sides go by.

Every start of a controller is a life of its own, with a random id, and its database keeps how far
each earlier life came. Whoever was obeyed last has to be in the past of whoever is to be obeyed
next, as far as it was heard: a copy that was taken before does not know that, however it came to
be started. Only a restore that a person asked for raises the epoch and needs no such past.
"""

from typing import Final

import msgspec

SHOWN: Final = 8
"""The end of a life's id tells two apart; its beginning is a time."""


class Obeyed(msgspec.Struct, frozen=True, kw_only=True):
    """Who was obeyed last: the highest epoch, the life, and its last change that was heard of."""

    epoch: int = 0
    life: str = ""
    seq: int = 0


def is_older_copy(obeyed: Obeyed, *, epoch: int, past_seq: int | None) -> bool:
    """Tell whether a controller of this epoch comes before the one that was obeyed.

    ``past_seq`` is how far it knows the obeyed life; None: not at all.
    """
    if epoch != obeyed.epoch:
        return epoch < obeyed.epoch
    return bool(obeyed.life) and (past_seq is None or past_seq < obeyed.seq)


def named(life: str) -> str:
    """Return how a sentence names a life."""
    return life[-SHOWN:] or "of an older version"
