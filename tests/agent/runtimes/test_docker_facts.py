from typing import Any

import msgspec
import pytest

from eaas_agent.runtimes.docker_facts import EngineFacts, no_host_network, notes_about, read_facts

OLD = ({"Version": "20.10.24", "ApiVersion": "1.41"}, {"NCPU": 2, "Runtimes": {"runc": {}}})
NEW = (
    {"Version": "28.5.2", "ApiVersion": "1.51", "Components": [{"Name": "Engine"}]},
    {
        "NCPU": 8,
        "Runtimes": {"runc": {}, "nvidia": {}},
        "DefaultRuntime": "nvidia",
        "CDISpecDirs": ["/etc/cdi"],
        "DiscoveredDevices": [
            {"Source": "cdi", "ID": "nvidia.com/gpu=GPU-a"},
            {"Source": "cdi", "ID": "other.com/x=1"},
        ],
        "LiveRestoreEnabled": True,
        "CgroupDriver": "systemd",
        "SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless"],
    },
)
PODMAN: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "Version": "4.3.1",
        "ApiVersion": "1.41",
        "Components": [{"Name": "Podman Engine", "Version": "4.3.1"}],
    },
    {"Runtimes": {"nvidia": {}}},
)


def test_a_new_engine_tells_its_cards() -> None:
    assert read_facts(*NEW) == EngineFacts(
        version="28.5.2",
        api_version="1.51",
        cpus=8,
        default_runtime="nvidia",
        runtimes=frozenset({"runc", "nvidia"}),
        cdi_dirs=True,
        cdi_cards=frozenset({"GPU-a"}),
        live_restore=True,
        cgroup_driver="systemd",
        rootless=True,
    )


def test_each_engine_is_known_for_what_it_can_and_can_not_do() -> None:
    old, new, podman = (read_facts(*answers) for answers in (OLD, NEW, PODMAN))

    assert [facts.name for facts in (old, new, podman)] == [
        "Docker 20.10.24",
        "Docker 28.5.2",
        "Podman 4.3.1",
    ]
    assert [facts.isolates_cards for facts in (old, new, podman)] == [False, True, False]
    assert [facts.log_driver for facts in (old, new, podman)] == ["local", "local", "json-file"]
    assert [facts.drops_newlines for facts in (old, new, podman)] == [True, False, False]


@pytest.mark.parametrize(
    ("api", "kernel", "reaches"),
    [
        ("1.44", "5.12.0", True),
        ("1.51", "6.8.0-45-generic", True),
        ("1.43", "6.8.0", False),
        ("1.44", "4.18.0-553.el8", False),
        ("1.44", "", False),
        ("unknown", "6.8.0", False),
    ],
)
def test_only_new_engines_on_new_kernels_keep_all_below_a_read_only_mount_read_only(
    api: str, kernel: str, reaches: bool
) -> None:
    facts = read_facts({"ApiVersion": api, "KernelVersion": kernel}, {})

    assert facts.reads_only_below is reaches
    podman = {**PODMAN[0], "ApiVersion": api, "KernelVersion": kernel}
    assert not read_facts(podman, {}).reads_only_below


def test_notes_say_what_will_hurt() -> None:
    old, new, podman = (notes_about(read_facts(*answers)) for answers in (OLD, NEW, PODMAN))

    assert [note.partition(":")[0] for note in old] == ["live-restore is off"]
    assert new == ()
    assert [note.partition(":")[0] for note in podman] == ["Podman keeps logs as json-file"]


def test_an_engine_says_why_its_containers_cannot_have_the_hosts_network() -> None:
    plain = EngineFacts(version="28.5.2", api_version="1.51")

    assert no_host_network(plain) is None
    assert no_host_network(msgspec.structs.replace(plain, rootless=True, podman=True)) is None
    assert no_host_network(msgspec.structs.replace(plain, rootless=True)) == (
        "Docker 28.5.2 runs without root, so its containers can't have this machine's network"
    )
    assert no_host_network(msgspec.structs.replace(plain, userns=True)) == (
        "Docker 28.5.2 maps users (userns-remap), so its containers can't have this machine's "
        "network"
    )
