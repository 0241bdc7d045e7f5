"""Values for the store's tests, with the least that makes them whole."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from eaas.ids import (
    CardUuid,
    JobNumber,
    JobUid,
    NodeName,
    PoolName,
    QueueName,
    UserName,
)
from eaas.job_spec import JobSpec
from eaas.lifecycle import JobState
from eaas.wire.from_agent import CardReport, Inventory
from eaas_daemon.core.changes import Changes, ClaimRow, JournalRow, KeyRow
from eaas_daemon.core.credential import Credential
from eaas_daemon.core.model import Attempt, HeldCard, Job, Node

CARD = CardReport(
    uuid="GPU-1",
    index=0,
    model="RTX 3090",
    state="free",
    memory_total_mib=24576,
    memory_used_mib=12,
    utilization_pct=0,
    temperature_c=31,
    power_w=20.5,
    processes=(),
)


def a_job(number: int, state: JobState = JobState.PENDING, **fields: Any) -> Job:
    job = Job(
        uid=JobUid(f"00000000-0000-7000-8000-{number:012d}"),
        number=JobNumber(number),
        user=UserName("ann"),
        spec=JobSpec(command="true", env={"A": "1"}),
        pool=PoolName("lab"),
        queue=QueueName("default"),
        state=state,
        priority=0,
        created_at=1000.0,
    )
    return replace(job, **fields)


def an_attempt(number: int, state: JobState, card: str = "GPU-1") -> Attempt:
    return Attempt(
        number=number,
        node=NodeName("n1"),
        node_uid="node-uid",
        cards=(HeldCard(uuid=CardUuid(card), index=0),),
        state=state,
        created_at=1001.0,
    )


def a_node(name: str = "n1", **fields: Any) -> Node:
    inventory = Inventory(
        runtime="docker",
        engine="Docker 28",
        cpus=8.0,
        memory_mib=65536,
        disk_free_mib=None,
        cards=(CARD,),
    )
    node = Node(
        name=NodeName(name), uid=f"uid-{name}", inventory=inventory, version="0.1", boot_id="b1"
    )
    return replace(node, **fields)


def a_credential(id: str = "uaaaaaaaa", **fields: Any) -> Credential:
    credential = Credential(
        id=id,
        role="member",
        secret_hash=b"\x00\xff",
        created_at=1000.0,
        created_by=UserName("root"),
        user=UserName("ann"),
    )
    return replace(credential, **fields)


def a_claim(number: int, card: str = "GPU-1", attempt: int = 1) -> ClaimRow:
    return ClaimRow(job=a_job(number).uid, attempt=attempt, node=NodeName("n1"), card=card)


def a_share(number: int, mib: int, of_mib: int = 24000) -> ClaimRow:
    return replace(a_claim(number), memory_mib=mib, of_mib=of_mib)


def a_key(key: str, jobs: tuple[int, ...] = (1,), at: float = 1000.0) -> KeyRow:
    return KeyRow(user="ann", key=key, body_hash=b"\x00\xff", jobs=jobs, at=at)


def a_line(seq: int, at: float = 1000.0, job: int | None = None, **fields: Any) -> JournalRow:
    line = JournalRow(seq=seq, at=at, kind="job.submitted", text="job submitted", job=job)
    return replace(line, **fields)


def a_step(*jobs: Job, **fields: Any) -> Changes:
    """Everything that a step with these jobs does; the counters are far enough for all of it."""
    counters: Mapping[str, Any] = {"seq": 1_000_000, "next_number": 1_000_000}
    return Changes(**{**counters, "jobs": jobs, **fields})
