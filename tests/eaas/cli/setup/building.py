"""Places and facts for tests of the installation, with defaults for what a test does not say."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from eaas.cli.setup.facts import Facts
from eaas.cli.setup.places import Places, Role, places_for

CLONE = Path("/opt/mini-eaas")


def some_places(role: Role, *, for_user: bool = False, clone: Path = CLONE) -> Places:
    """Return a role's places on a machine where nothing else is set."""
    environ = {"HOME": "/home/ann", "MINI_EAAS_HOME": "/home/ann/pool"} if for_user else {}
    return places_for(role, clone, environ, for_user=for_user)


def some_facts(**known: Any) -> Facts:
    """Return the facts of a machine where all is well."""
    plain = Facts(is_root=True, manager="system", free_mib=50_000)
    return replace(plain, **known)
