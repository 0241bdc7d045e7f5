"""What tests do with tokens: let them be made, used, renewed and revoked."""

from typing import Any

from eaas_daemon.core import events as e
from eaas_daemon.core.credential import Credential
from tests.rig.builders import ADMIN, House


def made(house: House, id: str = "jtoken", caller: e.Caller = ADMIN, **but: Any) -> Credential:
    fields = {"role": "agent", "user": None, "expires_at": None, "uses": None, **but}
    event = e.CreateToken(caller=caller, id=id, secret_hash=b"hash", **fields)
    credential = house.do(event)
    assert isinstance(credential, Credential)
    return credential


def joined(
    house: House, id: str = "nfirst", by: str = "jtoken", node: str = "n1", **but: Any
) -> Credential:
    fields = {"node_uid": f"uid-{node}", "address": "10.0.0.1", **but}
    event = e.JoinNode(token=by, node=node, id=id, secret_hash=b"own", **fields)
    credential = house.do(event)
    assert isinstance(credential, Credential)
    return credential


def used(house: House, id: str) -> None:
    house.do(e.CredentialUsed(id=id, address="10.0.0.1"))


def renewed(house: House, old: str, id: str) -> None:
    house.do(e.RenewCredential(old=old, id=id, secret_hash=b"newer"))


def revoked(house: House, id: str, caller: e.Caller = ADMIN) -> Credential:
    credential = house.do(e.RevokeToken(caller=caller, id=id))
    assert isinstance(credential, Credential)
    return credential
