"""What ``mini-eaas login`` keeps: where controllers are, who they are, and the token for each."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from eaas.errors import EaasError
from eaas.paths import whole_path
from eaas.private_file import read_private, write_private


class BadLogins(EaasError):
    """The file of logins can't be read or written."""

    code = "bad_logins"


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """One controller somewhere else."""

    url: str
    token: str
    ca: str
    """The authority's certificate (PEM); empty where it is reached without TLS of its own."""


class Logins(msgspec.Struct, frozen=True, kw_only=True):
    """All of them; the last one is meant when nothing else is said."""

    logins: tuple[Login, ...] = ()

    def to(self, url: str) -> Login | None:
        """Return the login of this address."""
        return next((login for login in self.logins if login.url == url), None)

    def with_one(self, login: Login) -> "Logins":
        """Return them with this one as the last, in place of an older one."""
        return Logins(logins=(*(each for each in self.logins if each.url != login.url), login))

    def without(self, url: str) -> "Logins":
        """Return them without this one."""
        return Logins(logins=tuple(each for each in self.logins if each.url != url))


def logins_file(environ: Mapping[str, str]) -> Path:
    """Return where a person's logins lie."""
    if home := environ.get("MINI_EAAS_HOME"):
        return whole_path(home) / "logins.json"
    import platformdirs  # only here: the command line starts without it when a home is given

    return Path(platformdirs.user_config_path("mini-eaas")) / "logins.json"


def read_logins(environ: Mapping[str, str]) -> Logins:
    """Return what was kept; raise ``BadLogins`` or ``NotPrivate`` when that can't be used."""
    file = logins_file(environ)
    try:
        return msgspec.json.decode(read_private(file), type=Logins)
    except FileNotFoundError:
        return Logins()
    except (OSError, msgspec.MsgspecError) as error:
        raise BadLogins(
            f"{file} can't be read ({error}): log in anew, after removing it"
        ) from error


def write_logins(environ: Mapping[str, str], logins: Logins) -> Path:
    """Keep them, and return where; raise ``BadLogins`` when that can't be done."""
    file = logins_file(environ)
    try:
        os.makedirs(file.parent, mode=0o700, exist_ok=True)
        write_private(file, msgspec.json.encode(logins))
    except OSError as error:
        raise BadLogins(f"{file} can't be written: {error.strerror or error}") from error
    return file
