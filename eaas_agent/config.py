"""How one agent is set up: what was typed, else the environment, else agent.yaml, else defaults."""

import os
import re
import socket
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from eaas.client.address import Address, address_from
from eaas.errors import EaasError, FieldError, Invalid
from eaas.ids import NAME_PATTERN, NodeName
from eaas.paths import paths_from
from eaas.spelling import nearest, shown
from eaas.units import UnitError, parse_duration_s, parse_memory_mib

RuntimeKind = Literal["docker", "process", "auto"]
RUNTIMES: Final[tuple[RuntimeKind, ...]] = ("docker", "process", "auto")
MAX_CONFIG_BYTES: Final = 1 << 16


class NotTrusted(EaasError):
    """A config that anybody could have written decides nothing, least of all mounts."""

    code = "config_not_trusted"


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of this node that jobs may ask for by name."""

    name: str
    path: Path
    read_only: bool


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the command line; None for what does not."""

    name: str | None = None
    state_dir: Path | None = None
    runtime: RuntimeKind | None = None
    simulate: str | None = None
    server: str | None = None
    token_file: Path | None = None
    cpus: float | None = None
    config: Path | None = None
    verbose: bool = False


class FileConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What agent.yaml says."""

    name: str | None = None
    runtime: RuntimeKind | None = None
    cpus: float | None = None
    labels: dict[str, str] = {}
    mounts: tuple[Mount, ...] = ()
    log_cap_mib: int | None = None
    keep_s: float | None = None


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an agent has to know before it starts."""

    name: NodeName
    state_dir: Path
    runtime: RuntimeKind
    simulate: str | None
    address: Address
    cpus: float | None
    """None for as many as the machine has."""
    labels: dict[str, str]
    mounts: tuple[Mount, ...]
    log_cap_mib: int | None
    """What a job's log may take on this node at most, whatever the job asks for."""
    keep_s: float | None
    """How long a workspace is kept at most."""


def resolve(typed: Typed, environ: Mapping[str, str]) -> AgentConfig:
    """Return the configuration; raise ``Invalid`` with every mistake of the file."""
    file = read_file(typed.config) if typed.config is not None else FileConfig()
    paths = paths_from(environ)
    name = NodeName(typed.name or environ.get("MINI_EAAS_NODE") or file.name or host_name())
    if NAME_PATTERN.fullmatch(name) is None:
        raise _wrong("name", f"{shown(name)} can't name a node: {_NAME_RULE}")
    token = typed.token_file.read_text().strip() if typed.token_file is not None else None
    return AgentConfig(
        name=name,
        state_dir=(typed.state_dir or paths.agent_state(name)).expanduser().absolute(),
        runtime=typed.runtime or file.runtime or "auto",
        simulate=typed.simulate or environ.get("MINI_EAAS_SIMULATE") or None,
        address=address_from(environ, server=typed.server, token=token),
        cpus=typed.cpus if typed.cpus is not None else file.cpus,
        labels=file.labels,
        mounts=file.mounts,
        log_cap_mib=file.log_cap_mib,
        keep_s=file.keep_s,
    )


def host_name() -> str:
    """Return this host's name as a node may be called."""
    text = re.sub(r"[^a-z0-9._-]", "-", socket.gethostname().partition(".")[0].lower())
    return text.strip("._-")[:63] or "node"


def read_file(path: Path) -> FileConfig:
    """Read agent.yaml; raise ``NotTrusted`` when others may write it, ``Invalid`` for mistakes."""
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if found.st_uid not in (0, os.geteuid()) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise NotTrusted(
                f"{path} must belong to root or to the agent's user, and only its owner may "
                "write it: chown root and chmod go-w"
            )
        text = file.read(MAX_CONFIG_BYTES + 1)
    if len(text) > MAX_CONFIG_BYTES:
        raise Invalid((FieldError(field="", message=f"{path} is larger than 64 KiB"),))
    return parse_config(text.decode(errors="replace"))


def parse_config(text: str) -> FileConfig:
    """Return what the text of an agent.yaml says, or raise ``Invalid`` with every mistake."""
    from eaas.yaml_tree import read_trees  # only here: an agent without a file needs no YAML

    tree = next(iter(read_trees(text)), None)
    if tree is None or (tree.value is None and tree.syntax is None and not tree.mistakes):
        return FileConfig()
    if tree.syntax is not None:
        raise Invalid((tree.syntax,))
    errors = [
        FieldError(field="", message=mistake.message, line=place[0], column=place[1])
        for mistake, place in tree.mistakes
    ]
    if not isinstance(tree.value, dict):
        raise Invalid((*errors, FieldError(field="", message="write `key: value` lines")))
    values: dict[str, Any] = {}
    for key, value in tree.value.items():
        try:
            values |= _field(str(key), value)
        except Invalid as error:
            line, column = tree.locate((str(key),)) or (None, None)
            errors += [
                msgspec.structs.replace(found, line=line, column=column) for found in error.errors
            ]
    if errors:
        raise Invalid(tuple(errors))
    return FileConfig(**values)


def _field(key: str, value: object) -> dict[str, Any]:
    if key not in _READERS:
        near = nearest(key, _READERS)
        hint = f", did you mean {near}?" if near else ""
        raise Invalid(
            (FieldError(field=key, message=f"there is no key {shown(key)}{hint}", suggestion=near),)
        )
    target, read = _READERS[key]
    try:
        return {target: read(value)}
    except UnitError as error:
        raise _wrong(key, f"{key}: {error.sentence}") from error
    except (TypeError, ValueError) as error:
        raise _wrong(key, f"{key} {error}, not {shown(value)}") from error


_NAME_RULE: Final = "lower case, digits and . _ - inside, 63 characters at most"


def _wrong(field: str, message: str) -> Invalid:
    return Invalid((FieldError(field=field, message=message),))


def _name(value: object) -> str:
    if not isinstance(value, str) or NAME_PATTERN.fullmatch(value) is None:
        raise ValueError(f"must be a name ({_NAME_RULE})")
    return value


def _runtime(value: object) -> str:
    if value not in RUNTIMES:
        raise ValueError(f"must be {' or '.join(RUNTIMES)}")
    return str(value)


def _cpus(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 4096:
        raise ValueError("must be a number of CPUs over 0")
    return float(value)


def _labels(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("must be `key: value` lines")
    return {str(key): str(text) for key, text in value.items()}


def _mounts(value: object) -> tuple[Mount, ...]:
    if not isinstance(value, dict):
        raise ValueError("must be `name: /path` or `name: /path:ro` lines")
    return tuple(_mount(_name(name), place) for name, place in value.items())


def _mount(name: str, place: object) -> Mount:
    text, _, mode = str(place).partition(":")
    if not text.startswith("/") or mode not in ("", "ro", "rw") or ".." in text.split("/"):
        raise ValueError(f"must give {name} a plain absolute path, with :ro or :rw behind it")
    return Mount(name=name, path=Path(text), read_only=mode == "ro")


def _memory(value: object) -> int:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError("must be a size such as 2GiB")
    return parse_memory_mib(value)


def _duration(value: object) -> float:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError("must be a duration such as 7d")
    return parse_duration_s(value)


_READERS: Final[dict[str, tuple[str, Callable[[object], Any]]]] = {
    "name": ("name", _name),
    "runtime": ("runtime", _runtime),
    "cpus": ("cpus", _cpus),
    "labels": ("labels", _labels),
    "mounts": ("mounts", _mounts),
    "log_cap": ("log_cap_mib", _memory),
    "keep": ("keep_s", _duration),
}
