"""A stand-in for systemctl: notes what it is told, and starts and stops what the units say."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

READY_S: Final = 60.0


def unit_lines(name: str, *, for_user: bool) -> list[str]:
    """Return the unit's lines."""
    folder = Path(os.environ["HOME"], ".config/systemd/user") if for_user else None
    file = (folder or Path("/etc/systemd/system")) / f"{name}.service"
    return file.read_text().splitlines()


def values(lines: list[str], key: str) -> list[str]:
    """Return what stands behind the key, in words."""
    found = [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]
    return [
        word.replace("%%", "%").replace("$$", "$") for text in found for word in shlex.split(text)
    ]


def start(name: str, place: Path, *, for_user: bool) -> None:
    """Start the service and wait until it says that it is ready."""
    lines = unit_lines(name, for_user=for_user)
    whose = values(lines, "User")
    as_user = [*("setpriv", "--reuid", *whose, "--regid", *whose, "--init-groups")] if whose else []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0notify-{name}")
        ear.settimeout(READY_S)
        process = subprocess.Popen(
            [*as_user, *values(lines, "ExecStart")],
            env={
                "PATH": os.environ["PATH"],
                "DOCKER_HOST": "unix:///nowhere.sock",
                **dict(word.split("=", 1) for word in values(lines, "Environment")),
                "NOTIFY_SOCKET": f"@notify-{name}",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=place.with_suffix(".log").open("ab"),
            start_new_session=True,
        )
        place.write_text(str(process.pid))
        while b"READY=1" not in ear.recv(4096):
            pass


def stop(place: Path) -> None:
    """End the service, if it runs."""
    if not place.exists():
        return
    pid = int(place.read_text())
    place.unlink()
    os.kill(pid, signal.SIGTERM)
    while Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        time.sleep(0.02)


def main(words: list[str]) -> int:
    """Do as systemctl would, as far as an installation asks for it."""
    folder = Path(os.environ["MACHINE"])
    with (folder / "calls").open("a") as calls:
        print(*words, file=calls)
    for_user = words[0] == "--user"
    verb, *rest = [word for word in words if not word.startswith("--")]
    if verb == "is-system-running":
        print("running")
    for name in rest:
        place = folder / f"{name}.pid"
        if verb in ("stop", "restart") or (verb == "disable" and "--now" in words):
            stop(place)
        if verb in ("start", "restart"):
            start(name, place, for_user=for_user)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
