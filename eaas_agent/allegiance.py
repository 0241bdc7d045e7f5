"""Why this agent does not obey a controller that is only an older copy of the right one. Pure."""

from eaas.lives import Obeyed, is_older_copy, named
from eaas.wire.to_agent import Welcome


def refusal(obeyed: Obeyed, welcome: Welcome) -> str | None:
    """Return why the controller that says welcome is not to be obeyed; None if it is."""
    return why_not(obeyed, epoch=welcome.epoch, life=welcome.life, past_seq=welcome.past_seq)


def why_not(obeyed: Obeyed, *, epoch: int, life: str, past_seq: int | None) -> str | None:
    """Return in a sentence why this controller is not to be obeyed; None if it is.

    ``past_seq`` is how far it says that it knows the obeyed life.
    """
    if not is_older_copy(obeyed, epoch=epoch, past_seq=past_seq):
        return None
    knows = "nothing of that" if past_seq is None else f"that only up to change {past_seq}"
    return (
        f"it is an older copy of the controller this node obeys: that was life "
        f"{named(obeyed.life)} (epoch {obeyed.epoch}, up to change {obeyed.seq}), this is life "
        f"{named(life)} (epoch {epoch}) and knows {knows}. Nothing is done for it, jobs run on. "
        "Stop the copy and start the right one; if that is lost, on the copy's host: mini-eaas "
        "controller restore BACKUP"
    )
