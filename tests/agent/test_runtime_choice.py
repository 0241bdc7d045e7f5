import asyncio
from pathlib import Path

import pytest

from eaas_agent import runtime_choice
from eaas_agent.runtime_choice import Chosen, Makers, choose, makers, probe
from eaas_agent.runtimes.fake import FakeRuntime
from eaas_agent.runtimes.port import Runtime, RuntimeState


def two(*, docker_answers: bool) -> tuple[Makers, FakeRuntime, FakeRuntime]:
    docker, process = FakeRuntime(lambda: 0.0), FakeRuntime(lambda: 0.0)
    docker.fault = None if docker_answers else "nobody answers"
    return Makers(lambda: docker, lambda: process), docker, process


async def test_auto_takes_an_engine_that_answers() -> None:
    make, docker, _ = two(docker_answers=True)

    chosen = await choose("auto", make, bound_to=None)

    assert (chosen.runtime, chosen.kind) == (docker, "docker")


async def test_auto_falls_back_to_processes() -> None:
    make, _, process = two(docker_answers=False)

    chosen = await choose("auto", make, bound_to=None)

    assert (chosen.runtime, chosen.kind) == (process, "process")


async def test_live_attempts_bind_auto_to_their_runtime() -> None:
    away, docker, _ = two(docker_answers=False)
    there, _, process = two(docker_answers=True)

    assert (await choose("auto", away, bound_to="docker")).runtime is docker
    assert (await choose("auto", there, bound_to="process")).runtime is process


async def test_docker_that_was_asked_for_is_kept_with_its_fault() -> None:
    make, docker, _ = two(docker_answers=False)

    chosen = await choose("docker", make, bound_to=None)

    assert (chosen.runtime, chosen.state.fault) == (docker, "nobody answers")


async def test_an_engine_that_hangs_is_faulty_and_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Hanging(FakeRuntime):
        async def probe(self) -> RuntimeState:
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr(runtime_choice, "PROBE_WITHIN_S", 0.01)
    hanging: Runtime = Hanging(lambda: 0.0)

    state = await probe(hanging, "docker")

    assert state.kind == "docker"
    assert "does not answer" in (state.fault or "")


def test_a_job_sees_its_workspace_where_its_runtime_puts_it() -> None:
    runtime, state = FakeRuntime(lambda: 0.0), RuntimeState(kind="process", engine=None)
    path = Path("/s/workspaces/u")

    assert Chosen(runtime=runtime, kind="docker", state=state).inside(path) == "/workspace"
    assert Chosen(runtime=runtime, kind="process", state=state).inside(path) == str(path)


async def test_the_real_runtimes_can_be_made(tmp_path: Path) -> None:
    make = makers(tmp_path, "agent", {"DOCKER_HOST": f"unix://{tmp_path}/none.sock"})

    chosen = await choose("auto", make, bound_to=None)

    assert chosen.kind == "process"
    await chosen.runtime.close()
