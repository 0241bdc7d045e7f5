from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from eaas.ids import CardUuid, JobNumber, JobUid
from eaas_agent.runtimes.docker_config import (
    NoWayToCards,
    container_names,
    create_payload,
    is_reference,
    split_reference,
)
from eaas_agent.runtimes.docker_facts import EngineFacts
from eaas_agent.runtimes.port import AttemptKey, Bind, CardSlot, RunOrder

UID = JobUid("01a22f1a-640b-7db2-870a-b5a3f7686149")
PLAIN = EngineFacts(version="28.5.2", api_version="1.51", cpus=4, runtimes=frozenset({"runc"}))
NVIDIA = structs.replace(PLAIN, runtimes=frozenset({"runc", "nvidia"}))
CDI = structs.replace(NVIDIA, cdi_dirs=True, cdi_cards=frozenset({"GPU-a", "GPU-b", "0", "1"}))
TWO_CARDS = (CardSlot(uuid=CardUuid("GPU-a"), minor=0), CardSlot(uuid=CardUuid("GPU-b"), minor=1))
ORDER = RunOrder(
    key=AttemptKey(UID, 2),
    number=JobNumber(42),
    epoch=3,
    image="box:1",
    command="echo hi",
    env={"A": "1"},
    workspace=Path("/var/ws"),
)


def payload_of(order: RunOrder, facts: EngineFacts = PLAIN) -> dict[str, Any]:
    return create_payload(order, facts, agent_id="n1", image="box:1")


def variables(payload: dict[str, Any]) -> dict[str, str]:
    return dict(line.split("=", 1) for line in payload["Env"])


def test_a_plain_job_asks_for_this_and_nothing_else() -> None:
    assert payload_of(ORDER) == {
        "Image": "box:1",
        "Env": ["A=1", "NVIDIA_VISIBLE_DEVICES=void", "CUDA_DEVICE_ORDER=PCI_BUS_ID"],
        "Labels": {
            "eaas.agent": "n1",
            "eaas.job": UID,
            "eaas.number": "42",
            "eaas.attempt": "2",
            "eaas.epoch": "3",
        },
        "WorkingDir": "/workspace",
        "Healthcheck": {"Test": ["NONE"]},
        "Entrypoint": ["/bin/sh"],
        "Cmd": ["-c", "echo hi"],
        "HostConfig": {
            "Init": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "PidsLimit": 8192,
            "ShmSize": 1 << 30,
            "LogConfig": {
                "Type": "local",
                "Config": {"max-size": "3136m", "max-file": "1", "compress": "false"},
            },
            "Mounts": [{"Type": "bind", "Source": "/var/ws", "Target": "/workspace"}],
        },
    }


def test_limits_are_what_was_asked_but_never_more_cpus_than_there_are() -> None:
    order = structs.replace(ORDER, cpus=64.0, memory_mib=100, run_as="5:6", workdir="/src")

    payload = payload_of(order)

    assert (payload["User"], payload["WorkingDir"]) == ("5:6", "/src")
    host = payload["HostConfig"]
    assert (host["NanoCpus"], host["Memory"], host["MemorySwap"], host["ShmSize"]) == (
        4_000_000_000,
        100 << 20,
        100 << 20,
        100 << 20,
    )


def test_a_list_replaces_the_images_entrypoint_and_no_command_keeps_it() -> None:
    listed = payload_of(structs.replace(ORDER, command=("python", "a b.py")))
    own = payload_of(structs.replace(ORDER, command=None))

    assert (listed["Entrypoint"], listed["Cmd"]) == (["python"], ["a b.py"])
    assert not {"Entrypoint", "Cmd"} & own.keys()


def test_cards_are_named_by_cdi_where_the_engine_lists_them() -> None:
    payload = payload_of(structs.replace(ORDER, cards=TWO_CARDS), CDI)

    assert payload["HostConfig"]["DeviceRequests"] == [
        {"Driver": "cdi", "DeviceIDs": ["nvidia.com/gpu=GPU-a", "nvidia.com/gpu=GPU-b"]}
    ]
    assert variables(payload)["NVIDIA_VISIBLE_DEVICES"] == "void"


def test_cards_are_named_to_the_nvidia_runtime_where_cdi_does_not_list_them() -> None:
    stale = structs.replace(CDI, cdi_cards=frozenset({"GPU-a"}))

    payload = payload_of(structs.replace(ORDER, cards=TWO_CARDS), stale)

    assert payload["HostConfig"]["Runtime"] == "nvidia"
    assert variables(payload)["NVIDIA_VISIBLE_DEVICES"] == "GPU-a,GPU-b"


def test_cards_that_no_way_leads_to_are_refused() -> None:
    order = structs.replace(ORDER, cards=TWO_CARDS)
    podman = structs.replace(NVIDIA, podman=True, version="4.3.1")

    for facts in (PLAIN, podman):
        with pytest.raises(NoWayToCards, match="can't give a job its cards"):
            payload_of(order, facts)


def test_no_cards_and_simulated_cards_are_none_for_the_engine() -> None:
    simulated = (CardSlot(uuid=CardUuid("GPU-sim-0"), simulated=True),)
    by_default = structs.replace(NVIDIA, default_runtime="nvidia")
    for cards in ((), simulated):
        payload = payload_of(structs.replace(ORDER, cards=cards), by_default)

        assert variables(payload)["NVIDIA_VISIBLE_DEVICES"] == "void"
        assert payload["HostConfig"]["Runtime"] == "runc"
        assert "DeviceRequests" not in payload["HostConfig"]


@pytest.mark.parametrize("key", ["NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"])
def test_a_jobs_own_word_about_cards_is_dropped(key: str) -> None:
    payload = payload_of(structs.replace(ORDER, env={key: "all"}))

    assert f"{key}=all" not in payload["Env"]
    assert len(payload["Env"]) == 2


def test_podman_gets_the_log_driver_it_knows() -> None:
    podman = structs.replace(PLAIN, podman=True)

    assert payload_of(ORDER, podman)["HostConfig"]["LogConfig"]["Type"] == "json-file"


def test_the_second_name_differs_between_pools_whose_jobs_were_made_in_one_minute() -> None:
    assert container_names(ORDER) == ("eaas-42-01a22f1a-2", "eaas-42-01a22f1a-2-686149")


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("busybox", ("busybox", "latest")),
        ("localhost:5000/a/b", ("localhost:5000/a/b", "latest")),
        ("localhost:5000/a/b:v1.2_x", ("localhost:5000/a/b", "v1.2_x")),
        (f"a/b:1@sha256:{'0' * 64}", ("a/b", f"sha256:{'0' * 64}")),
    ],
)
def test_a_reference_has_a_repository_and_a_tag_or_digest(
    image: str, parts: tuple[str, str]
) -> None:
    assert is_reference(image)
    assert split_reference(image) == parts


@pytest.mark.parametrize(
    "image", ["", "../containers/x", "a//b", "a?b", "a b", "a#b", "-a", "a:", "a@sha256:1", "a%2f"]
)
def test_what_could_leave_its_place_in_a_url_is_no_reference(image: str) -> None:
    assert not is_reference(image)


def test_mounts_stand_beside_the_workspace_and_nothing_comes_back_out_of_them() -> None:
    data = Bind(source=Path("/srv/data"), target="/data", read_only=True)
    scratch = Bind(source=Path("/srv/scratch"), target="/scratch", read_only=False)
    order = structs.replace(ORDER, mounts=(data, scratch), groups=(50, 60))
    new = structs.replace(PLAIN, kernel="6.8.0")

    host, old_host = (payload_of(order, facts)["HostConfig"] for facts in (new, PLAIN))

    assert host["GroupAdd"] == ["50", "60"]
    assert host["Mounts"][1:] == [
        {
            "Type": "bind",
            "Source": "/srv/data",
            "Target": "/data",
            "ReadOnly": True,
            "BindOptions": {"Propagation": "rprivate"},
        },
        {
            "Type": "bind",
            "Source": "/srv/scratch",
            "Target": "/scratch",
            "ReadOnly": False,
            "BindOptions": {"Propagation": "rprivate"},
        },
    ]
    assert [mount.get("BindOptions", {}).get("NonRecursive") for mount in old_host["Mounts"]] == [
        None,
        True,
        None,
    ]


def test_a_rank_of_several_has_the_hosts_network_whatever_the_others_have() -> None:
    order = structs.replace(ORDER, on_host_network=True)

    payload = create_payload(order, PLAIN, agent_id="n1", image="box:1", network="apart")

    assert payload["HostConfig"]["NetworkMode"] == "host"
