"""A machine of its own inside this one: its own users, settings, data, processes and network."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = Path(sys.base_prefix, "bin", "python3")
PACKAGES: Final = next(Path(path) for path in sys.path if path.endswith("site-packages"))
CLONED: Final = (
    *("install.sh", "pyproject.toml", "constraints.txt", "README.md", "LICENSE", "Makefile"),
    *("eaas", "eaas_daemon", "eaas_agent", "eaas_tui", "config"),
)
PROGRAMS: Final = {
    "mini-eaas": "eaas.cli.start",
    "eaas-daemon": "eaas_daemon.__main__",
    "eaas-agent": "eaas_agent.__main__",
}
NOT_COMPILED: Final = {"PIP_NO_COMPILE": "0"}
"""Lets pip leave all compiling to whoever imports; of this variable it takes 0 for yes."""
NO_ENGINE: Final = "unix:///nowhere.sock"
WITHIN_S: Final = 240.0
SET_UP: Final = """
set -e
mount --bind "$1/etc" /etc
mount --rbind /root "$1/root"
mount -t tmpfs -o mode=755 tmpfs /root
for needed in "$2" "$3"; do
    [[ $needed == /root/* ]] || continue
    mkdir -p "$needed" && mount --bind "$1$needed" "$needed"
done
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /home
ip link set lo up
ip link add eth0 type veth peer name eth1
ip link set eth1 up && ip link set eth0 up
ip addr add 10.9.8.7/24 dev eth0 && ip route add default dev eth0
useradd --create-home --uid 4321 ann
echo ready
exec sleep infinity
"""


def why_no_machine() -> str | None:
    """Return why there can't be one here, or None."""
    if os.geteuid() != 0:
        return "needs root, for namespaces"
    words = ["unshare", "--mount", "--pid", "--net", "--uts", "--fork", "ip", "link"]
    done = subprocess.run(words, capture_output=True, text=True)
    return None if done.returncode == 0 else f"no namespaces here: {done.stderr.strip()}"


class Machine:
    """Commands that are typed on it; everything on it ends with it."""

    def __init__(self, folder: Path, init: int) -> None:
        self.folder: Final = folder
        self.clone: Final = folder / "a clone"
        self.calls: Final = folder / "calls"
        """What the stand-in for systemctl was told, a line each."""
        self._inside: Final = ("nsenter", "-t", str(init), "-m", "-p", "-n", "-u")

    def type(
        self, *words: str | Path, user: str | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as root or as this user, from that one's home."""
        whose = ("setpriv", "--reuid", user, "--regid", user, "--init-groups") if user else ()
        home = f"/home/{user}" if user else "/root"
        path = f"{self.folder}/bin:{PYTHON.parent}:/usr/sbin:/usr/bin:/sbin:/bin"
        about = {
            "MACHINE": str(self.folder),
            "HOME": home,
            "PATH": path,
            "DOCKER_HOST": NO_ENGINE,
            "LANG": "C.UTF-8",
        }
        return subprocess.run(
            [*self._inside, *whose, *words],
            env={**about, **environ},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )

    def said(self, *words: str | Path, user: str | None = None, **environ: str) -> str:
        """Run a command that succeeds, and return all that it printed."""
        done = self.type(*words, user=user, **environ)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stderr + done.stdout

    def install(self, *words: str, user: str | None = None, **environ: str) -> str:
        """Run install.sh of the clone, and return all that it printed."""
        return self.said(self.clone / "install.sh", *words, user=user, **environ)

    def install_at_a_terminal(self, *words: str, user: str | None = None) -> str:
        """Run install.sh as somebody does who reads along, and return what they see."""
        line = shlex.join([str(self.clone / "install.sh"), *words])
        return self.said("script", "-qec", line, "/dev/null", user=user, TERM="xterm")

    def eaas(self, *words: str, user: str | None = None) -> str:
        """Type a command of the clone's ``mini-eaas``."""
        return self.said(self.clone / ".venv/bin/mini-eaas", *words, user=user)

    @property
    def node(self) -> str:
        """Return what the machine is called as a node."""
        return self.said("hostname", "-s").strip().lower()

    def file(self, path: str) -> str:
        """Return a file's text, as it is there."""
        return self.said("cat", path)

    def has(self, pattern: str) -> bool:
        """Tell whether there is such a file or folder."""
        return self.type("sh", "-c", f"ls -d {pattern}").returncode == 0

    def await_file(self, path: str) -> None:
        """Return once there is such a file."""
        look = f"until [ -e {path} ]; do sleep 0.1; done"
        self.said("timeout", str(WITHIN_S), "sh", "-c", look)

    def programs(self) -> list[int]:
        """Return the controllers and agents at work here."""
        found = self.type("pgrep", "-f", "eaas[-_](daemon|agent) .*run")
        return [pid for pid in map(int, found.stdout.split()) if self.owner(pid)]

    def pids(self, *units: str) -> dict[str, int]:
        """Return the processes of these services."""
        return {unit: int((self.folder / f"{unit}.pid").read_text()) for unit in units}

    def owner(self, pid: int) -> str:
        """Return as whom the process runs; nothing when it has ended."""
        found = self.type("ps", "-o", "user:32=,stat=", "-p", str(pid)).stdout.split()
        return found[0] if found and "Z" not in found[1] else ""

    def environment(self) -> None:
        """Give the clone the environment that install.sh would make, without fetching anything."""
        venv = self.clone / ".venv"
        self.said(PYTHON, "-m", "venv", "--without-pip", venv)
        [packages] = venv.glob("lib/python*/site-packages")
        (packages / "outer.pth").write_text(f"{self.clone}\n{PACKAGES}\n")
        for name, module in PROGRAMS.items():
            script = venv / "bin" / name
            start = f"import sys\nfrom {module} import main\nsys.exit(main())\n"
            script.write_text(f'#!/bin/sh\n"exec" "{venv}/bin/python" "$0" "$@"\n{start}')
            script.chmod(0o755)
        self._mark()

    def take(self, sources: Path) -> None:
        """Let the clone have these sources, as after a ``git pull`` that changed no package."""
        for name in CLONED:
            shutil.rmtree(self.clone / name, ignore_errors=True)
        _copy(sources, self.clone)
        if (self.clone / ".venv").exists():
            self._mark()

    def _mark(self) -> None:
        """Note, as install.sh does, that all packages are there."""
        venv = self.clone / ".venv"
        made = '{ cat pyproject.toml constraints.txt; pwd -P; "$(command -v python3)" --version; }'
        mark = self.said("bash", "-c", f'cd "{self.clone}"; {made} | sha256sum | cut -d" " -f1')
        (venv / ".installed").write_text(mark)

    def use_systemd(self) -> None:
        """Let a stand-in for systemd run services from now on."""
        folder = self.folder / "bin"
        folder.mkdir()
        script = folder / "systemctl"
        script.write_text(f'#!/bin/sh\nexec "{PYTHON}" "{ROOT}/tests/rig/systemctl.py" "$@"\n')
        script.chmod(0o755)
        self.calls.touch()
        self.calls.chmod(0o666)


def sources_before(folder: Path) -> Path:
    """Return the sources of the commit before this one; these where no history says which."""
    words = ["git", "-C", str(ROOT), "archive", "HEAD~1", *CLONED]
    packed = subprocess.run(words, capture_output=True)
    if packed.returncode:
        return ROOT
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder


def _copy(sources: Path, clone: Path) -> None:
    for name in CLONED:
        source = sources / name
        if source.is_dir():
            shutil.copytree(source, clone / name)
        else:
            shutil.copy(source, clone)


@contextmanager
def a_machine() -> Iterator[Machine]:
    """Yield a machine with a clone in a path with a space, and a user ann; root only."""
    folder = Path(tempfile.mkdtemp(prefix="eaas-machine-"))
    folder.chmod(0o755)
    shutil.copytree("/etc", folder / "etc", symlinks=True)
    (folder / "root").mkdir()
    clone = folder / "a clone"
    clone.mkdir()
    _copy(ROOT, clone)
    words = ["unshare", "--mount", "--pid", "--net", "--uts", "--fork", "--kill-child"]
    inside = [
        "--mount-proc",
        "bash",
        "-c",
        SET_UP,
        "set-up",
        str(folder),
        sys.base_prefix,
        str(PACKAGES),
    ]
    shell = subprocess.Popen([*words, *inside], stdout=subprocess.PIPE, text=True)
    assert shell.stdout is not None
    with shell.stdout as said:
        assert said.readline() == "ready\n"
        try:
            [init] = Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()
            yield Machine(folder, int(init))
        finally:
            shell.kill()
            shell.wait()
            shutil.rmtree(folder, ignore_errors=True)
