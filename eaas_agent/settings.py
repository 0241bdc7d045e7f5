"""What can be set of an agent, in agent.yaml, by variables and on its command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal

import msgspec

from eaas.field_checks import (
    Check,
    Choice,
    Duration,
    Memory,
    Mistake,
    Number,
    Text,
    Wrong,
    below,
    text_of,
    wrong,
)
from eaas.ids import NAME_PATTERN
from eaas.job_lists import Labels
from eaas.settings.host_path import HostPath
from eaas.settings.keys import LOG_KEYS, NAME, Key
from eaas.spelling import shown

PROGRAM: Final = "agent"

RuntimeKind = Literal["docker", "process", "auto"]
RUNTIMES: Final[tuple[RuntimeKind, ...]] = ("docker", "process", "auto")
MAX_LOG_CAP_MIB: Final = 1 << 30
TEN_YEARS_S: Final = 3650 * 86400.0


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of this node that jobs may ask for by name."""

    name: str
    path: Path
    read_only: bool


class NamedFolders(Check, frozen=True, kw_only=True):
    """Folders of this node that jobs may ask for: ``name: /path`` or ``name: /path:ro``."""

    kind: ClassVar[str] = "mapping"

    def read(self, value: object) -> tuple[Mount, ...]:
        if not isinstance(value, Mapping):
            raise wrong(f"must be `name: /path` or `name: /path:ro` lines, not {shown(value)}")
        mounts: list[Mount] = []
        mistakes: list[Mistake] = []
        for name, place in value.items():
            try:
                mounts.append(_mount(str(name), text_of(place)))
            except Wrong as error:
                mistakes += below(str(name), error.mistakes)
        if mistakes:
            raise Wrong(*mistakes)
        return tuple(mounts)

    def typed(self, value: tuple[Mount, ...]) -> object:
        return {mount.name: f"{mount.path}{':ro' * mount.read_only}" for mount in value}

    def schema(self) -> dict[str, object]:
        return {"type": "object", "additionalProperties": {"type": "string"}}


def _mount(name: str, place: str) -> Mount:
    if NAME_PATTERN.fullmatch(name) is None:
        raise Wrong(Mistake("can't be a mount's name: lower case, digits, . _ -", on_key=True))
    path, _, mode = place.partition(":")
    if mode not in ("", "ro", "rw"):
        raise wrong(f"must end with :ro or :rw, not {shown(':' + mode)}")
    return Mount(name=name, path=HostPath().read(path), read_only=mode == "ro")


KEYS: Final = (
    Key(
        name="name",
        check=NAME,
        about="what the node is called (default: this host's name)",
        metavar="NAME",
        variables=("MINI_EAAS_NODE",),
    ),
    Key(
        name="state_dir",
        check=HostPath(),
        about="where it keeps what it knows, and the workspaces",
        metavar="DIR",
    ),
    Key(
        name="runtime",
        check=Choice(choices=RUNTIMES),
        about="how jobs run",
        metavar="KIND",
        default="auto",
    ),
    Key(
        name="simulate",
        check=Text(pattern=".+", rule="cards such as 2x24GiB"),
        about="pretend that there are such cards, as in 2x24GiB",
        metavar="CARDS",
        variables=("MINI_EAAS_SIMULATE",),
    ),
    Key(
        name="server",
        check=Text(pattern=".+", rule="HOST:PORT or the path of a socket"),
        about="the controller: HOST:PORT or a socket (default: this host's socket)",
        metavar="SERVER",
        variables=("MINI_EAAS_SERVER",),
    ),
    Key(
        name="token_file",
        check=HostPath(),
        about="the file with the token for a URL",
        metavar="FILE",
    ),
    Key(
        name="token",
        check=Text(pattern="[!-~]+", rule="text without blanks", max_chars=4096),
        about="the token that lets it join (better: --token-file, or the variable)",
        metavar="TOKEN",
        variables=("MINI_EAAS_TOKEN",),
        secret=True,
    ),
    Key(
        name="cpus",
        check=Number(minimum=0.01, maximum=4096),
        about="how many CPUs to offer (default: all there are)",
        metavar="N",
    ),
    Key(name="labels", check=Labels(), default={}, structured=True),
    Key(name="mounts", check=NamedFolders(), default={}, structured=True),
    Key(name="log_cap", check=Memory(maximum_mib=MAX_LOG_CAP_MIB)),
    Key(name="keep", check=Duration(minimum_s=0.0, maximum_s=TEN_YEARS_S)),
    *LOG_KEYS,
)
