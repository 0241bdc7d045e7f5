"""Finds the attempts of one agent among all containers of an engine."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from aiodocker import DockerError

from eaas.ids import JobNumber, JobUid
from eaas_agent.runtimes.docker_config import (
    LABEL_AGENT,
    LABEL_ATTEMPT,
    LABEL_EPOCH,
    LABEL_JOB,
    LABEL_NUMBER,
)
from eaas_agent.runtimes.docker_end import has_ended, parse_time
from eaas_agent.runtimes.docker_engine import Engine
from eaas_agent.runtimes.port import AttemptKey, Found


async def find_attempts(engine: Engine, agent_id: str) -> Sequence[Found]:
    """Return every attempt with this agent's label, oldest job first.

    One that was made but never started is not running and has no ``started_at``.
    """
    filters = json.dumps({"label": [f"{LABEL_AGENT}={agent_id}"]})
    listed = await engine.call("GET", "containers/json", params={"all": "1", "filters": filters})
    looks = await asyncio.gather(*(_look(engine, entry["Id"]) for entry in listed))
    found = (found_in(inspected) for inspected in looks if inspected is not None)
    return sorted((each for each in found if each), key=lambda each: each.key)


def found_in(inspected: Mapping[str, Any]) -> Found | None:
    """Return what the labels say; None when somebody else's hand wrote them."""
    labels, state = inspected["Config"].get("Labels") or {}, inspected["State"]
    try:
        return Found(
            key=AttemptKey(JobUid(labels[LABEL_JOB]), int(labels[LABEL_ATTEMPT])),
            number=JobNumber(int(labels[LABEL_NUMBER])),
            epoch=int(labels[LABEL_EPOCH]),
            handle=inspected["Id"],
            running=not has_ended(inspected),
            started_at=parse_time(state.get("StartedAt")),
        )
    except (KeyError, ValueError):
        return None


async def _look(engine: Engine, container_id: str) -> Mapping[str, Any] | None:
    try:
        inspected: Mapping[str, Any] = await engine.call("GET", f"containers/{container_id}/json")
    except DockerError as error:
        if error.status != 404:
            raise
        return None
    return inspected
