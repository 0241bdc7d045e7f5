"""What makes an agent a node of one controller: who that is, and the credential it gave."""

from pathlib import Path
from typing import Final

import msgspec

from eaas.client.address import Address
from eaas.errors import EaasError
from eaas.ids import NodeName
from eaas.private_file import read_private, write_private

FILE: Final = "passport.json"


class BadPassport(EaasError):
    """The agent's own passport can't be read."""

    code = "bad_passport"


class Passport(msgspec.Struct, frozen=True, kw_only=True):
    """Kept in the state folder, for its owner only."""

    url: str
    ca: str
    """The authority's certificate (PEM); empty where there is no TLS."""
    node: NodeName
    credential: str
    got_at: float
    """Unix seconds."""
    renew_after_s: float

    @property
    def address(self) -> Address:
        """Return how to reach the controller."""
        return Address(url=self.url, token=self.credential, ca=self.ca or None)


def read_passport(state_dir: Path) -> Passport | None:
    """Return the passport; None where the agent has not joined. Raises ``BadPassport``."""
    file = state_dir / FILE
    try:
        return msgspec.json.decode(read_private(file), type=Passport)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise BadPassport(
            f"{file} can't be read ({error}); remove it and join again: mini-eaas agent join"
        ) from error


def write_passport(state_dir: Path, passport: Passport) -> None:
    """Keep the passport, in place of an older one; on the disk when this returns."""
    write_private(state_dir / FILE, msgspec.json.encode(passport))
