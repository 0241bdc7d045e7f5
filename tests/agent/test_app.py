import asyncio
import io
import os
import shutil
import signal
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from eaas.wire.from_agent import AttemptEnded, AttemptRunning, AttemptStopping, Beat, Facts
from eaas.wire.to_agent import Order, SendFiles, Stop, Wanted
from eaas_agent.app import Given, serve
from eaas_agent.place import CopiedState
from tests.rig.agents import a_config, an_agent, an_agent_process, an_order
from tests.rig.scripted_controller import ScriptedController, scripted_controller
from tests.rig.tars import a_tar


@pytest.fixture
def socket(tmp_path: Path) -> Path:
    return tmp_path / "controller.sock"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


async def test_an_order_runs_ends_and_is_forgotten(socket: Path, state: Path) -> None:
    order = an_order("echo hello; echo oops >&2; exit 3")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)

        ended = await controller.ended(order.uid)
        await controller.log_complete(order.uid)

        assert controller.facts_about(order.uid) == ["AttemptRunning", "AttemptEnded"]
        assert (ended.cause, ended.exit_code, ended.stdout_bytes) == ("exited", 3, 6)
        assert controller.logs[order.uid, 1].streams == {"stdout": b"hello\n", "stderr": b"oops\n"}
        controller.orders.clear()
        await controller.send(Wanted(full=False, orders=(), dropped=((order.uid, 1),)))
        await _until(lambda: not list((state / "attempts").iterdir()))
        await controller.cut()
        await controller.until(lambda: len(controller.hellos) == 2)
        assert controller.hellos[1].held == ()


async def test_an_agent_on_a_copy_of_the_state_folder_is_refused_and_ends_nothing(
    socket: Path, state: Path, tmp_path: Path
) -> None:
    order = an_order("echo ready; while ! test -e go; do sleep 0.02; done; exit 5")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        running = await controller.running(order.uid)
        shutil.copytree(state, tmp_path / "copy")

        with pytest.raises(CopiedState, match=f"{tmp_path / 'copy'} is a copy of {state}"):
            await serve(a_config(tmp_path / "copy", socket), Given(environ=dict(os.environ)))
        with pytest.raises(CopiedState):
            await serve(a_config(tmp_path / "copy", socket), Given(environ=dict(os.environ)))

        os.kill(int(running.handle.partition(":")[0]), 0)  # it runs on
        (state / "workspaces" / order.uid / "go").touch()
        assert (await controller.ended(order.uid)).exit_code == 5
    assert len(controller.hellos) == 1


async def test_a_job_without_output_needs_no_log_link(socket: Path, state: Path) -> None:
    orders = [an_order("true") for _ in range(20)]
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(*orders)

        ends = [await controller.ended(order.uid) for order in orders]

        assert {(end.exit_code, end.stdout_bytes, end.stderr_bytes) for end in ends} == {(0, 0, 0)}
        assert controller.log_messages <= 1  # the greeting of the log link


async def test_facts_that_were_not_acknowledged_come_again(socket: Path, state: Path) -> None:
    order = an_order("exit 7")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        controller.acks = False
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.until(lambda: any(isinstance(s, Facts) for s in controller.heard))
        controller.acks = True
        await controller.cut()

        ended = await controller.ended(order.uid)

        assert ended.exit_code == 7
        assert controller.facts_about(order.uid) == ["AttemptRunning", "AttemptEnded"]


async def test_an_agent_keeps_its_jobs_through_kill_9(socket: Path, state: Path) -> None:
    order = an_order("echo before; while ! test -e go; do sleep 0.02; done; echo after; exit 5")
    async with scripted_controller(socket) as controller:
        running = await _run_until_killed(controller, socket, state, order)
        (state / "workspaces" / order.uid / "go").touch()
        async with an_agent_process(state, socket) as again:
            ended = await controller.ended(order.uid)
            stored = await controller.log_complete(order.uid)
            again.send_signal(signal.SIGTERM)
            code = await again.wait()

        assert (ended.exit_code, code) == (5, 0)
        assert ended.started_at == running.started_at
        assert controller.facts_about(order.uid) == ["AttemptRunning", "AttemptEnded"]
        assert stored.streams["stdout"] == b"before\nafter\n"


async def test_a_killed_agent_answers_for_an_end_it_did_not_see(socket: Path, state: Path) -> None:
    order = an_order("while ! test -e go; do sleep 0.02; done; exit 6")
    async with scripted_controller(socket) as controller:
        running = await _run_until_killed(controller, socket, state, order)
        (state / "workspaces" / order.uid / "go").touch()
        await _gone(int(running.handle.partition(":")[0]))
        async with an_agent(state, socket):
            ended = await controller.ended(order.uid)

        assert (ended.cause, ended.exit_code) == ("exited", 6)
        assert controller.hellos[-1].held[0].uid == order.uid


async def test_term_ends_the_agent_and_not_its_jobs(socket: Path, state: Path) -> None:
    order = an_order("while ! test -e go; do sleep 0.02; done")
    async with scripted_controller(socket) as controller:
        async with an_agent_process(state, socket) as agent:
            await controller.until(lambda: bool(controller.hellos))
            await controller.want(order)
            running = await controller.running(order.uid)
            agent.terminate()
            code = await agent.wait()

        assert code == 0
        os.kill(int(running.handle.partition(":")[0]), 0)
        (state / "workspaces" / order.uid / "go").touch()
        async with an_agent(state, socket):
            assert (await controller.ended(order.uid)).exit_code == 0


async def test_a_timeout_is_kept_without_a_controller(socket: Path, state: Path) -> None:
    order = an_order("exec sleep 60", timeout_s=0.7)
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.running(order.uid)
        await controller.close()
        await asyncio.sleep(1.0)  # the deadline passes while nobody listens
        await controller.open(socket)

        ended = await controller.ended(order.uid)

        assert ended.cause == "timed_out"
        assert ended.finished_at - (ended.started_at or 0) < 1.5
        kinds = [type(fact) for fact in controller.facts.values()]
        assert kinds[1:] == [AttemptStopping, AttemptEnded]


async def test_a_stop_ends_a_running_attempt(socket: Path, state: Path) -> None:
    order = an_order("exec sleep 60")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.running(order.uid)

        stop = Stop(grace_s=5.0, why="cancelled")
        await controller.want(an_order("exec sleep 60", uid=order.uid, known=True, stop=stop))

        assert (await controller.ended(order.uid)).cause == "stopped"


async def test_what_a_new_controller_does_not_want_is_stopped(socket: Path, state: Path) -> None:
    order = an_order("exec sleep 60")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.running(order.uid)

        controller.orders.clear()
        await controller.cut()

        assert (await controller.ended(order.uid)).cause == "stopped"


async def test_a_command_that_cannot_start_says_why(socket: Path, state: Path) -> None:
    order = an_order(("/no/such/program",))
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)

        ended = await controller.ended(order.uid)

        assert (ended.cause, ended.fault) in {("start_failed", "user"), ("exited", "user")}
        assert ended.exit_code == 127


async def test_a_job_sees_its_variables(socket: Path, state: Path) -> None:
    order = an_order("env | grep ^EAAS_ | sort; pwd", env={"EAAS_JOB_ID": "0"})
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.ended(order.uid)
        await controller.log_complete(order.uid)

        workspace = state / "workspaces" / order.uid
        assert controller.logs[order.uid, 1].streams["stdout"].decode().splitlines() == [
            "EAAS_ARRAY_INDEX=",
            "EAAS_ATTEMPT=1",
            "EAAS_CARDS=",
            "EAAS_GPU_MEMORY_MIB=",
            f"EAAS_JOB_ID={order.number}",
            f"EAAS_JOB_UID={order.uid}",
            "EAAS_PREEMPTIONS=0",
            f"EAAS_WORKSPACE={workspace}",
            str(workspace),
        ]


async def test_a_long_log_is_complete_though_its_link_is_cut(socket: Path, state: Path) -> None:
    order = an_order("i=0; while test $i -lt 40; do seq 1 9999; i=$((i+1)); sleep 0.02; done")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        await controller.until(lambda: (order.uid, 1) in controller.logs)

        await controller.cut_logs()
        await controller.ended(order.uid)
        await controller.log_complete(order.uid)

        once = "".join(f"{number}\n" for number in range(1, 10000)).encode()
        assert controller.logs[order.uid, 1].streams["stdout"] == once * 40
        assert len(controller.log_asks) == 1


async def test_a_pack_is_unpacked_once_and_files_come_back(socket: Path, state: Path) -> None:
    order = an_order("cat data.txt; mkdir -p out; echo result > out/r.txt")
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        pack = controller.add_pack(a_tar({"data.txt": b"from the pack\n"}))
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(replace(order, pack=pack))
        assert (await controller.ended(order.uid)).exit_code == 0
        stored = await controller.log_complete(order.uid)

        await controller.send(SendFiles(request="r", uid=order.uid, path="out"))
        await controller.until(lambda: "r" in controller.files)

        assert stored.streams["stdout"] == b"from the pack\n"
        with tarfile.open(fileobj=io.BytesIO(controller.files["r"])) as tar:
            assert tar.getnames() == ["out", "out/r.txt"]


async def test_beats_carry_the_cards(socket: Path, state: Path) -> None:
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: any(isinstance(said, Beat) for said in controller.heard))

        (card,) = controller.hellos[0].inventory.cards
        assert (card.state, card.simulated, card.memory_total_mib) == ("free", True, 8192)
        assert controller.hellos[0].inventory.runtime == "process"


async def test_an_attempt_on_a_card_is_seen_as_its_holder(socket: Path, state: Path) -> None:
    async with scripted_controller(socket) as controller, an_agent(state, socket):
        await controller.until(lambda: bool(controller.hellos))
        (card,) = controller.hellos[0].inventory.cards
        order = an_order("exec sleep 60", cards=(card.uuid,))
        await controller.want(order)

        await controller.until(
            lambda: any(
                isinstance(said, Beat) and said.cards[0].state == "held"
                for said in controller.heard
            )
        )
        stop = Stop(grace_s=1.0, why="cancelled")
        await controller.want(an_order(uid=order.uid, known=True, stop=stop))
        await controller.ended(order.uid)


def _card_states(controller: ScriptedController) -> set[str]:
    return {
        card.state for said in controller.heard if isinstance(said, Beat) for card in said.cards
    }


async def _run_until_killed(
    controller: ScriptedController, socket: Path, state: Path, order: Order
) -> AttemptRunning:
    """Return how the attempt runs after its agent was killed with -9."""
    async with an_agent_process(state, socket) as agent:
        await controller.until(lambda: bool(controller.hellos))
        await controller.want(order)
        running = await controller.running(order.uid)
        agent.kill()
        await agent.wait()
    return running


async def _gone(pid: int) -> None:
    """Wait until the process has ended; an orphan may stay a zombie for a while."""
    stat = Path(f"/proc/{pid}/stat")
    await _until(lambda: not stat.exists() or ") Z " in stat.read_text())


async def _until(holds: Callable[[], bool]) -> None:
    """Look again and again: nobody tells when the other process has done it."""
    async with asyncio.timeout(5):
        while True:
            if holds():
                return
            await asyncio.sleep(0.01)
