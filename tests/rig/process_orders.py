"""Orders for the process runtime, and an agent of one attempt that can be killed."""

import asyncio
import os
import sys
import time
from pathlib import Path

import msgspec

from eaas.ids import JobNumber, JobUid, new_uid
from eaas_agent.runtimes.port import AttemptKey, CardSlot, Phase, RunOrder
from eaas_agent.runtimes.process import ProcessRuntime
from eaas_agent.runtimes.process_attempt import Host
from eaas_agent.runtimes.process_launch import STANDARD_PATH
from eaas_agent.runtimes.process_watch import boot_id


def an_order(
    command: tuple[str, ...] | str | None,
    workspace: Path,
    *,
    uid: str | None = None,
    env: dict[str, str] | None = None,
    cards: tuple[CardSlot, ...] = (),
    workdir: str | None = None,
    run_as: str | None = None,
    log_cap_mib: int = 2048,
) -> RunOrder:
    """Return an order for a first attempt; its job's uid is among its variables, as always."""
    uid = uid or new_uid()
    return RunOrder(
        key=AttemptKey(JobUid(uid), 1),
        number=JobNumber(42),
        epoch=7,
        image=None,
        command=command,
        env={"EAAS_JOB_UID": uid, **(env or {})},
        cards=cards,
        workspace=workspace,
        workdir=workdir,
        run_as=run_as,
        log_cap_mib=log_cap_mib,
    )


def a_host() -> Host:
    """Return this machine as a runtime sees it."""
    return Host(
        agent_id="agent-1",
        boot_id=boot_id(),
        shell="/bin/sh",
        path=STANDARD_PATH,
        wall=time.time,
        monotonic=time.monotonic,
    )


def ignore_phase(_: Phase) -> None:
    """Take a phase and do nothing with it."""


def order_json(order: RunOrder) -> str:
    """Return the order as text for another process."""
    return msgspec.json.encode(order, enc_hook=str).decode()


def order_from_json(text: str) -> RunOrder:
    """Return the order that another process wrote."""
    return msgspec.json.decode(text, type=RunOrder, dec_hook=lambda kind, value: kind(value))


async def _run_until_killed(state_dir: Path, order: RunOrder) -> None:
    runtime = ProcessRuntime(state_dir, "agent-1")
    started = await runtime.start(order, ignore_phase)
    os.write(1, msgspec.json.encode(started) + b"\n")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_run_until_killed(Path(sys.argv[1]), order_from_json(sys.argv[2])))
