"""Units made of the examples in ``config/systemd``, with this clone's paths and no secret."""

from pathlib import Path
from typing import Final

from eaas.cli.setup.places import Places

EXAMPLE_BIN: Final = "/opt/mini-eaas/.venv/bin/"
EXAMPLE_HOME: Final = "/var/lib/mini-eaas"
HOMES: Final = (Path("/home"), Path("/root"), Path("/run/user"))

ONLY_SYSTEM: Final = (
    *("User=", "Group=", "StateDirectory", "After=", "Documentation="),
    *("Protect", "Private", "Restrict", "Capability", "Ambient", "LockPersonality"),
    *("SystemCall", "NoNewPrivileges", "LimitNOFILE", "TasksMax"),
)
"""What a person's own manager may not or need not do."""
STAYS: Final = ("Restart=", "RestartSec=", "RestartPreventExitStatus=")


def unit_text(example: str, places: Places, *, for_user: bool) -> str:
    """Return the role's unit for this clone and its folders."""
    lines = [
        f"# Written by install.sh of {places.clone}, anew at each upgrade: put what you change"
    ]
    lines += [
        f"# into a drop-in (systemctl {'--user ' if for_user else ''}edit {places.unit}).",
        "",
    ]
    for line in _whole_lines(example):
        lines += _adapted(line, places, for_user=for_user)
    return "\n".join(lines) + "\n"


def is_of(text: str, clone: Path) -> bool:
    """Tell whether a unit was written for this clone."""
    return f"# Written by install.sh of {clone}, anew" in text


def _whole_lines(example: str) -> list[str]:
    """Return the lines from the first section on, continued ones joined, comments left out."""
    joined = example.replace("\\\n", " ").splitlines()
    begun = joined[joined.index("[Unit]") :]
    kept = [line for line in begun if not line.startswith("#")]
    return [line for line, before in zip(kept, ["", *kept], strict=False) if line or before]


def _adapted(line: str, places: Places, *, for_user: bool) -> list[str]:
    if line.startswith("ExecStart="):
        program = "eaas-daemon" if places.role == "controller" else "eaas-agent"
        words = [quoted(str(places.bin / program)), *map(argument, places.arguments)]
        return ["ExecStart=" + " ".join(words)]
    if line.startswith("Environment=MINI_EAAS_HOME="):
        return [f"Environment={quoted(f'MINI_EAAS_HOME={places.home}')}"]
    if for_user:
        if line == "WantedBy=multi-user.target":
            return ["WantedBy=default.target"]
        dropped = line.startswith(ONLY_SYSTEM) and not line.startswith(STAYS)
        return [] if dropped else [line]
    return _of_system(line, places)


def _of_system(line: str, places: Places) -> list[str]:
    if line.startswith("StateDirectory") and places.state_dir.parent != Path("/var/lib"):
        keep = places.role == "controller" and line.startswith("StateDirectory=")
        return [f"ReadWritePaths={quoted(str(places.home))}"] if keep else []
    if line.startswith("StateDirectory="):
        return [f"StateDirectory={places.state_dir.name}"]
    if line == "ProtectHome=yes" and _in_a_home(places):
        return ["ProtectHome=read-only"]
    return [line]


def _in_a_home(places: Places) -> bool:
    needed = (places.clone, places.home, places.settings)
    return any(home in path.parents for home in HOMES for path in needed)


def argument(word: str) -> str:
    """Return the word as systemd takes it behind the program of a command line: $ means more."""
    return quoted(word.replace("$", "$$"))


def quoted(word: str) -> str:
    """Return the word as systemd takes it as a program, a path or an assignment."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return plain if set(plain).isdisjoint(" \t'\"\\;") else f'"{plain}"'
