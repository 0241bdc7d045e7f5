"""What a container engine is and can do, read from its own answers."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

CDI_KIND = "nvidia.com/gpu="


class EngineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of the engine's ``version`` and ``info`` that decide how a job is run."""

    podman: bool = False
    version: str
    api_version: str
    cpus: int | None = None
    """CPUs of the host; a limit above it is refused by the engine."""
    default_runtime: str = "runc"
    runtimes: frozenset[str] = frozenset()
    cdi_dirs: bool = False
    """The engine reads CDI specs; before 28 it does not list what it found there."""
    cdi_cards: frozenset[str] = frozenset()
    """UUIDs and indices that follow ``nvidia.com/gpu=`` in the engine's own list."""
    live_restore: bool = False
    cgroup_driver: str = ""
    rootless: bool = False
    userns: bool = False
    """User ids inside are not those of the host."""
    kernel: str = ""
    """As ``uname -r`` says it."""

    @property
    def name(self) -> str:
        """The engine and its version, as people write it."""
        return f"{'Podman' if self.podman else 'Docker'} {self.version}"

    @property
    def log_driver(self) -> str:
        """``local`` keeps every byte; Podman's API refuses it."""
        return "json-file" if self.podman else "local"

    @property
    def drops_newlines(self) -> bool:
        """True where ``local`` forgets the newline of lines of 16 KiB and more (20.10)."""
        major = self.version.partition(".")[0]
        return not self.podman and major.isdigit() and int(major) < 23

    @property
    def isolates_cards(self) -> bool:
        """True when a job can be given exactly its cards by one of the known ways."""
        if self.podman:
            return bool(self.cdi_cards) or self._podman_major >= 5
        return "nvidia" in self.runtimes or self.cdi_dirs

    @property
    def reads_only_below(self) -> bool:
        """True where a read-only mount makes what is mounted inside it read-only too."""
        api, kernel = _numbers(self.api_version), _numbers(self.kernel)
        return not self.podman and api >= (1, 44) and kernel >= (5, 12)

    @property
    def _podman_major(self) -> int:
        major = self.version.partition(".")[0]
        return int(major) if self.podman and major.isdigit() else 0


def read_facts(version: Mapping[str, Any], info: Mapping[str, Any]) -> EngineFacts:
    """Return the facts behind the engine's answers; what an engine leaves out has a default."""
    components = version.get("Components") or ()
    podman = next((part for part in components if part.get("Name") == "Podman Engine"), None)
    options = info.get("SecurityOptions") or ()
    return EngineFacts(
        podman=podman is not None,
        version=str((podman or version).get("Version", "unknown")),
        api_version=str(version.get("ApiVersion", "unknown")),
        cpus=info.get("NCPU") or None,
        default_runtime=info.get("DefaultRuntime") or "runc",
        runtimes=frozenset(info.get("Runtimes") or ()),
        cdi_dirs=bool(info.get("CDISpecDirs")),
        cdi_cards=frozenset(_cdi_cards(info)),
        live_restore=bool(info.get("LiveRestoreEnabled")),
        cgroup_driver=info.get("CgroupDriver") or "",
        rootless=any("name=rootless" in option for option in options),
        userns=any("name=userns" in option for option in options),
        kernel=str(version.get("KernelVersion", "")),
    )


def notes_about(facts: EngineFacts) -> tuple[str, ...]:
    """Return the sentences that the owner of this node should know."""
    notes = []
    if not facts.live_restore and not facts.podman:
        notes.append(
            "live-restore is off: restarting dockerd ends every job; "
            'set "live-restore": true in daemon.json'
        )
    if facts.podman:
        notes.append("Podman keeps logs as json-file: bytes that are not UTF-8 are replaced")
    if facts.cgroup_driver == "systemd" and "nvidia" in facts.runtimes and not facts.cdi_cards:
        notes.append(
            "cards may vanish from running jobs after systemctl daemon-reload "
            "(systemd cgroups without CDI); at boot, run "
            "nvidia-ctk system create-dev-char-symlinks --create-all"
        )
    return tuple(notes)


def no_host_network(facts: EngineFacts) -> str | None:
    """Return why no container can have this machine's own network, or None if it can."""
    why = "so its containers can't have this machine's network"
    if facts.rootless and not facts.podman:  # Podman's is the user's, who has the host's
        return f"{facts.name} runs without root, {why}"
    if facts.userns and not facts.rootless:
        return f"{facts.name} maps users (userns-remap), {why}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version; none where it begins with none."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return () if found is None else (int(found[1]), int(found[2]))


def _cdi_cards(info: Mapping[str, Any]) -> list[str]:
    found = (device.get("ID", "") for device in info.get("DiscoveredDevices") or ())
    return [name.removeprefix(CDI_KIND) for name in found if name.startswith(CDI_KIND)]
