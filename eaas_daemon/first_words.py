"""What a controller that others can reach says at its first start: the first two tokens, once.

They go to the terminal it was started in and nowhere else: a log is read by more people than those
who may let others in.
"""

from typing import Final, Literal

from eaas.ids import UserName
from eaas.tokens import new_token
from eaas_daemon.api.token_routes import FOR_AGENTS_S, USES
from eaas_daemon.core import events as e
from eaas_daemon.engine import Engine

WITHOUT_A_TERMINAL: Final = (
    "nobody from elsewhere is known yet; on this host: mini-eaas token create --role agent lets "
    "machines join, mini-eaas token create --role member --user NAME lets a person in"
)


async def first_words(engine: Engine, ca: str, address: str, service: UserName, now: float) -> str:
    """Make a token for an admin and one for machines, and return what to print.

    ``ca`` is the authority's fingerprint, ``address`` what others type, ``now`` Unix seconds.
    """
    admin = await _made(engine, ca, service, "admin", None, None)
    join = await _made(engine, ca, service, "agent", now + FOR_AGENTS_S, USES)
    return (
        "\nThis is shown once.\n"
        f"  an admin's token        {admin}\n"
        f"  an admin elsewhere      mini-eaas login {address}\n"
        f"  a machine that joins    mini-eaas agent join --server {address} --token {join}\n"
    )


async def _made(
    engine: Engine,
    ca: str,
    service: UserName,
    role: Literal["admin", "agent"],
    expires_at: float | None,
    uses: int | None,
) -> str:
    token = new_token("join" if role == "agent" else "person", ca)
    await engine.ask(
        e.CreateToken(
            caller=e.Caller(user=service, role="admin"),
            id=token.id,
            secret_hash=token.secret_hash,
            role=role,
            user=None,
            expires_at=expires_at,
            uses=uses,
        )
    )
    return str(token)
