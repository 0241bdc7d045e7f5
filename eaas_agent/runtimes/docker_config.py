"""Turns an order into the engine's create request. Pure; only what is named here can be asked."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from eaas.errors import EaasError
from eaas_agent.runtimes.docker_facts import CDI_KIND, EngineFacts
from eaas_agent.runtimes.port import Bind, CardSlot, RunOrder

WORKSPACE: Final = "/workspace"
MIB: Final = 1024 * 1024
DEFAULT_SHM_MIB: Final = 1024
"""The engine's own 64 MB is too small for PyTorch's loaders; unused pages cost no memory."""

LABEL_AGENT: Final = "eaas.agent"
LABEL_JOB: Final = "eaas.job"
LABEL_NUMBER: Final = "eaas.number"
LABEL_ATTEMPT: Final = "eaas.attempt"
LABEL_EPOCH: Final = "eaas.epoch"

OURS_ALONE: Final = frozenset(
    {
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
        "NVIDIA_MIG_CONFIG_DEVICES",
        "NVIDIA_MIG_MONITOR_DEVICES",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
    }
)
"""Variables that decide about cards: a job's own value is dropped, the image's is overridden."""

REFERENCE: Final = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9_-]|[./:](?=[A-Za-z0-9_]))*(?:@sha256:[0-9a-f]{64})?"
)

CardsWay = Literal["none", "cdi", "runtime"]


class NoWayToCards(EaasError):
    """The engine has no means to give a job its cards and no others."""

    code = "no_nvidia_runtime"


def is_reference(image: str) -> bool:
    """Tell whether the text can name an image; everything else must not reach the engine's URLs."""
    return len(image) <= 512 and REFERENCE.fullmatch(image) is not None


def split_reference(image: str) -> tuple[str, str]:
    """Return the repository and the tag or digest, ``latest`` when neither is named."""
    repository, _, digest = image.partition("@")
    head, colon, tag = repository.rpartition(":")
    if not colon or "/" in tag:
        head, tag = repository, "latest"
    return head, digest or tag


def container_names(order: RunOrder) -> tuple[str, str]:
    """Return the attempt's name, and the one to take when another pool here has it already."""
    uid = order.key.uid
    name = f"eaas-{order.number}-{uid[:8]}-{order.key.attempt}"
    return name, f"{name}-{uid[-6:]}"


def labels_of(order: RunOrder, agent_id: str) -> dict[str, str]:
    """Return the labels by which the attempt is found again."""
    return {
        LABEL_AGENT: agent_id,
        LABEL_JOB: order.key.uid,
        LABEL_NUMBER: str(order.number),
        LABEL_ATTEMPT: str(order.key.attempt),
        LABEL_EPOCH: str(order.epoch),
    }


def cards_way(cards: Sequence[CardSlot], facts: EngineFacts) -> CardsWay:
    """Return how the engine is told about the cards; simulated ones never reach it."""
    real = [card.uuid for card in cards if not card.simulated]
    if not real:
        return "none"
    if facts.cdi_cards.issuperset(real):
        return "cdi"
    if not facts.podman and "nvidia" in facts.runtimes:
        return "runtime"
    if facts.isolates_cards:
        return "cdi"
    raise NoWayToCards(
        f"{facts.name} has neither the nvidia runtime nor CDI, so it can't give a job its cards"
    )


def create_payload(
    order: RunOrder,
    facts: EngineFacts,
    *,
    agent_id: str,
    image: str,
    network: str | None = None,
    pids_limit: int = 8192,
) -> dict[str, Any]:
    """Return the body of ``containers/create``; ``image`` is the exact reference to run."""
    way = cards_way(order.cards, facts)
    payload: dict[str, Any] = {
        "Image": image,
        "Env": environment(order, way),
        "Labels": labels_of(order, agent_id),
        "WorkingDir": order.workdir or WORKSPACE,
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": _host_config(order, facts, way=way, network=network, pids_limit=pids_limit),
    }
    if order.run_as is not None:
        payload["User"] = order.run_as
    if order.command is not None:
        command = order.command
        argv = ("/bin/sh", "-c", command) if isinstance(command, str) else command
        payload |= {"Entrypoint": [argv[0]], "Cmd": list(argv[1:])}
    return payload


def environment(order: RunOrder, way: CardsWay) -> list[str]:
    """Return ``KEY=value`` lines; of a repeated key the engine takes the last, so ours end it."""
    own = [f"{key}={value}" for key, value in order.env.items() if key not in OURS_ALONE]
    return own + [f"{key}={value}" for key, value in _card_variables(order, way).items()]


def _card_variables(order: RunOrder, way: CardsWay) -> Mapping[str, str]:
    if way != "runtime":
        return {"NVIDIA_VISIBLE_DEVICES": "void", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    return {
        "NVIDIA_VISIBLE_DEVICES": ",".join(_real_uuids(order)),
        "NVIDIA_DRIVER_CAPABILITIES": "all",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    }


def _host_config(
    order: RunOrder, facts: EngineFacts, *, way: CardsWay, network: str | None, pids_limit: int
) -> dict[str, Any]:
    host: dict[str, Any] = {
        "Init": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "PidsLimit": pids_limit,
        "ShmSize": _shm_mib(order) * MIB,
        "LogConfig": _log_config(order, facts),
        "Mounts": [
            {"Type": "bind", "Source": str(order.workspace), "Target": WORKSPACE},
            *(_bind(bind, facts) for bind in order.mounts),
        ],
    }
    if order.groups:
        host["GroupAdd"] = [str(group) for group in order.groups]
    if order.memory_mib is not None:
        host |= {"Memory": order.memory_mib * MIB, "MemorySwap": order.memory_mib * MIB}
    if order.cpus is not None:
        host["NanoCpus"] = int(min(order.cpus, facts.cpus or order.cpus) * 1e9)
    if order.on_host_network:
        host["NetworkMode"] = "host"
    elif network is not None:
        host["NetworkMode"] = network
    if way == "cdi":
        devices = [f"{CDI_KIND}{uuid}" for uuid in _real_uuids(order)]
        host["DeviceRequests"] = [{"Driver": "cdi", "DeviceIDs": devices}]
    elif way == "runtime":
        host["Runtime"] = "nvidia"
    elif facts.default_runtime == "nvidia" and "runc" in facts.runtimes:
        host["Runtime"] = "runc"
    return host


def _bind(bind: Bind, facts: EngineFacts) -> dict[str, Any]:
    """Return the mount; of this type the engine makes no folder that is missing."""
    options: dict[str, Any] = {"Propagation": "rprivate"}
    if bind.read_only and not facts.reads_only_below:
        options["NonRecursive"] = True  # better not seen than written to
    return {
        "Type": "bind",
        "Source": str(bind.source),
        "Target": bind.target,
        "ReadOnly": bind.read_only,
        "BindOptions": options,
    }


def _shm_mib(order: RunOrder) -> int:
    if order.shm_mib is not None:
        return order.shm_mib
    return DEFAULT_SHM_MIB if order.memory_mib is None else min(DEFAULT_SHM_MIB, order.memory_mib)


def _log_config(order: RunOrder, facts: EngineFacts) -> dict[str, Any]:
    # One file that never rotates is the only one that loses no line to a follower. The engine
    # counts its own framing (about 30 bytes a line), hence half as much again.
    limit_mib = order.log_cap_mib + order.log_cap_mib // 2 + 64
    options = {"max-size": f"{limit_mib}m"}
    if facts.log_driver == "local":
        options |= {"max-file": "1", "compress": "false"}
    return {"Type": facts.log_driver, "Config": options}


def _real_uuids(order: RunOrder) -> list[str]:
    return [card.uuid for card in order.cards if not card.simulated]
