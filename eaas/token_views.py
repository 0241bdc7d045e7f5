"""What REST shows of tokens, and what an agent gets when it joins."""

from typing import Literal

from eaas.views import View


class TokenView(View, frozen=True, kw_only=True):
    """A token. Only the answer that makes it has its text."""

    id: str
    role: Literal["viewer", "member", "admin", "agent", "node"]
    state: Literal["live", "revoked", "expired", "used_up"]
    token: str | None
    user: str | None
    node: str | None
    created_at: str
    created_by: str
    expires_at: str | None
    uses_left: int | None
    used_at: str | None
    """When it was first used."""
    used_from: str | None
    revoked_at: str | None
    revoked_by: str | None
    made_with: str | None = None
    """The token by which its maker came in; null on the controller's host."""
    made_and_live: tuple[str, ...] = ()
    """Only where it was revoked just now: tokens that were made with it and still let in."""


class AgentPassView(View, frozen=True, kw_only=True):
    """What the controller says to an agent that only asks whether it would be let in."""

    role: Literal["agent", "node"]
    """``agent``: it may join; ``node``: it has joined, or is on the controller's host."""
    token: str | None
    """The token's id; None where the kernel says who asks."""
    node: str | None
    expires_at: str | None
    uses_left: int | None
    version: str
    """The controller's."""
    protocol_min: int
    protocol_max: int
    epoch: int = 0
    life: str = ""
    """New with every start of the controller; empty from an older version."""
    past_seq: int | None = None
    """How far it knows the life that was asked for; None: not at all."""


class JoinedView(View, frozen=True, kw_only=True):
    """What an agent gets when it joins, and when it asks for another credential."""

    node: str
    credential: str
    """A token of its own."""
    renew_after_s: float
