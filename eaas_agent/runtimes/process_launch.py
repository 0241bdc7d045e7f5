"""What a run order means to a plain process: its command, environment, directory and user."""

import os
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from eaas_agent.runtimes.port import CardSlot, RunOrder, StartFailed
from eaas_agent.runtimes.process_identity import identity_of

STANDARD_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

ENTER: Final = """import json, os, signal, sys, warnings
with open(sys.argv[1]) as file:
    spec = json.load(file)
for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
    signal.signal(number, signal.SIG_DFL)
try:
    if spec["uid"] is not None:
        os.setgroups([])
        os.setgid(spec["gid"])
        os.setuid(spec["uid"])
    os.execvpe(sys.argv[2], sys.argv[2:], spec["env"])
except OSError as error:
    print(f"{sys.argv[2]}: {error.strerror}", file=sys.stderr)
    sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
"""
"""Becomes another user and only then takes on the job's environment.

With the environment in place first, an LD_PRELOAD would run as root. It also carries what no shell
passes on unharmed: names that are not identifiers, and those that a shell takes for its own. All
imports come first: the other user may not be able to read this Python's library.
"""

_SHELLS_OWN: Final = frozenset(
    {
        "SHELLOPTS",
        "ENV",
        "IFS",
        "OPTIND",
        "PPID",
        "UID",
        "EUID",
        "GROUPS",
        "DIRSTACK",
        "POSIXLY_CORRECT",
    }
)


class Enter(msgspec.Struct, frozen=True, kw_only=True):
    """What the program ``ENTER`` reads from its file."""

    env: dict[str, str]
    uid: int | None = None
    gid: int | None = None


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How the shim starts the job."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    enter: Enter | None = None
    """Not None when the job begins as ``ENTER``; ``env`` is then the shim's own."""


def plan_launch(order: RunOrder, *, path: str, my_uid: int, my_gid: int) -> Launch:
    """Return how to start the order's process; raise ``StartFailed`` if no process can do it."""
    if order.mounts:
        words = "a plain process can't have mounts: name an image"
        raise StartFailed(words, code="mounts_unsupported", fault="user")
    argv = _command(order)
    _check_names(order.env)
    env = job_env(order, path=path)
    identity = identity_of(order.run_as, person=order.user, my_uid=my_uid, my_gid=my_gid)
    cwd = _directory(order)
    if identity is None and survives_a_shell(env):
        return Launch(argv=argv, env=env, cwd=cwd)
    enter = (
        Enter(env=env) if identity is None else Enter(env=env, uid=identity.uid, gid=identity.gid)
    )
    return Launch(argv=argv, env={"PATH": path}, cwd=cwd, enter=enter)


def enter_command(enter_file: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that reads the file, becomes what it says, and goes on as ``argv``."""
    return (sys.executable, "-I", "-S", "-c", ENTER, enter_file, *argv)


def job_env(order: RunOrder, *, path: str) -> dict[str, str]:
    """Return the job's whole environment: nothing of the agent's own gets through.

    The job's variables win over the base, and what concerns cards wins over the job's.
    """
    workspace = str(order.workspace)
    return {
        "PATH": path,
        "HOME": workspace,
        "LANG": "C.UTF-8",
        **order.env,
        "EAAS_WORKSPACE": workspace,
        **cards_env(order.cards),
    }


def cards_env(cards: tuple[CardSlot, ...]) -> dict[str, str]:
    """Return the variables that show the job its cards and hide all others.

    Simulated cards are none: nothing is there to be shown.
    """
    uuids = ",".join(card.uuid for card in cards if not card.simulated)
    return {
        "CUDA_VISIBLE_DEVICES": uuids,
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "NVIDIA_VISIBLE_DEVICES": uuids or "void",
    }


def survives_a_shell(env: Mapping[str, str]) -> bool:
    """Tell whether a POSIX shell passes every variable on unchanged and heeds none of them."""
    return all(
        name.isidentifier()
        and name.isascii()
        and not name.startswith("BASH")
        and name not in _SHELLS_OWN
        for name in env
    )


def _check_names(env: Mapping[str, str]) -> None:
    wrong = next((name for name in env if not name or "=" in name), None)
    if wrong is not None:
        raise StartFailed(
            f"no variable can have the name {wrong!r}", code="bad_command", fault="user"
        )


def _command(order: RunOrder) -> tuple[str, ...]:
    if order.image is not None:
        raise StartFailed(
            f"this node runs processes and no images, so it cannot run {order.image}",
            code="image_missing",
            fault="user",
        )
    if isinstance(order.command, str):
        return ("/bin/sh", "-c", order.command)
    if not order.command or not order.command[0] or order.command[0].startswith("-"):
        raise StartFailed(
            "without an image a job needs a command, and it begins with a program's name",
            code="bad_command",
            fault="user",
        )
    return order.command


def _directory(order: RunOrder) -> str:
    """Return the working directory; ``/workspace`` is the job's own folder, as in a container."""
    workspace = str(order.workspace)
    if not os.path.isdir(workspace):
        raise StartFailed(f"the workspace {workspace} is gone", code="workspace_gone", fault="node")
    if order.workdir is None or order.workdir == "/workspace":
        return workspace
    inside = order.workdir.removeprefix("/workspace/")
    directory = os.path.join(workspace, inside) if inside else workspace
    if not os.path.isdir(directory):
        raise StartFailed(
            f"the working directory {order.workdir} does not exist",
            code="workdir_bad",
            fault="user",
        )
    return directory
