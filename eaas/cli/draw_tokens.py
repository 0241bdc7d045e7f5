"""What people see of tokens."""

from collections.abc import Iterable, Sequence

from eaas.cli.output import Block, Facts, Lines, Table
from eaas.cli.words import moment
from eaas.client.address import INSECURE
from eaas.loopback import is_loopback
from eaas.token_views import TokenView


def token_table(tokens: Sequence[TokenView]) -> Table:
    """Return the list of tokens."""
    columns = ("ID", "ROLE", "FOR", "STATE", "EXPIRES", "USES LEFT", "FIRST USED", "MADE BY")
    return Table(
        columns,
        [_row(token) for token in tokens],
        when_empty="no token lets anybody in from elsewhere; mini-eaas token create makes one",
    )


def _row(token: TokenView) -> tuple[str | None, ...]:
    return (
        token.id,
        token.role,
        token.user or token.node,
        token.state,
        moment(token.expires_at) or "never",
        None if token.uses_left is None else str(token.uses_left),
        moment(token.used_at),
        token.created_by,
    )


def token_made(token: TokenView, address: str | None) -> Iterable[Block]:
    """Yield the token, this once, and what to type with it."""
    yield Facts(
        [
            ("id", token.id),
            ("role", token.role),
            ("user", token.user),
            ("expires", moment(token.expires_at) or "never"),
            ("uses left", None if token.uses_left is None else str(token.uses_left)),
        ]
    )
    whole = [token.token or "", ""]  # on a line of its own: a table would break it
    yield Lines([*whole, "The token is not shown again.", *_next_step(token, address)])


def _next_step(token: TokenView, address: str | None) -> list[str]:
    if address is None or is_loopback(address.partition("://")[2]):
        return [
            "The controller only talks to this machine; so that others reach it, set",
            "listen: 0.0.0.0 in controller.yaml and start it again.",
        ]
    plain = [] if address.startswith("https://") else [f"  export {INSECURE}=1"]
    if token.role == "agent":
        return [
            "On the machine that is to join:",
            *plain,
            f"  mini-eaas agent join --server {address} --token {token.token}",
        ]
    return ["On that person's machine:", *plain, f"  mini-eaas login {address}"]
