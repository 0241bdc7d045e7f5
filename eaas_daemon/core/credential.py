"""What the controller keeps of a token: enough to know it again, not enough to show it."""

from typing import Final, Literal, get_args

from eaas.ids import NodeName, UserName
from eaas.units import moment_text
from eaas_daemon.core.model import Value

PersonRole = Literal["viewer", "member", "admin"]
Role = Literal["viewer", "member", "admin", "agent", "node"]
"""``agent`` lets agents join; ``node`` is what an agent got when it did."""

PERSON_ROLES: Final[tuple[PersonRole, ...]] = get_args(PersonRole)
"""From those who may do least."""

Standing = Literal["live", "revoked", "expired", "used_up"]


class Credential(Value, frozen=True, kw_only=True):
    """A token as the controller knows it. Times are Unix seconds."""

    id: str
    role: Role
    secret_hash: bytes
    created_at: float
    created_by: UserName
    user: UserName | None = None
    """Whose word it carries; None unless it is a person's."""
    node: NodeName | None = None
    """Whose it is; of a token for agents: the only one that may join by it."""
    node_uid: str | None = None
    made_with: str | None = None
    """The token by which its maker came in; None on the controller's host."""
    expires_at: float | None = None
    uses_left: int | None = None
    """None is any number of times."""
    used_at: float | None = None
    """When it was first used."""
    used_from: str | None = None
    """The address it was first used from."""
    revoked_at: float | None = None
    revoked_by: UserName | None = None

    def standing(self, now: float) -> Standing:
        """Tell whether it still lets anybody in."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "used_up" if self.uses_left == 0 else "live"

    def refusal(self, now: float) -> str | None:
        """Return in a sentence why it does not let anybody in; None if it does."""
        standing = self.standing(now)
        if standing == "revoked":
            return f"token {self.id} was revoked by {self.revoked_by or 'somebody'}"
        if standing == "expired":
            assert self.expires_at is not None
            return f"token {self.id} expired at {moment_text(self.expires_at)}"
        if standing == "used_up":
            return f"token {self.id} has been used as often as it may be"
        return None
