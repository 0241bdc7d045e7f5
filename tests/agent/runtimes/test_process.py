"""The process runtime with real processes."""

import asyncio
import hashlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from eaas.ids import CardUuid
from eaas_agent.runtimes.port import (
    AttemptKey,
    CardSlot,
    Exit,
    Found,
    RunOrder,
    RuntimeState,
    Started,
    StartFailed,
    Stream,
)
from eaas_agent.runtimes.process import NOTES, ProcessRuntime
from eaas_agent.runtimes.process_folder import AttemptFolder
from eaas_agent.runtimes.process_launch import STANDARD_PATH, plan_launch
from eaas_agent.runtimes.process_spawn import spawn_attempt
from tests.rig.process_orders import a_host, an_order, ignore_phase, order_json

C_LIBRARYS_OWN = 0x1_8000_0000
"""Signals 32 and 33, which glibc's posix_spawn leaves ignored; no program can use them."""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    runtime = ProcessRuntime(tmp_path / "state", "agent-1")
    yield runtime
    for found in await runtime.find():
        await runtime.remove(found.key, found.handle)
    await runtime.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


async def started(runtime: ProcessRuntime, order: RunOrder) -> Started:
    return await runtime.start(order, ignore_phase)


async def run(runtime: ProcessRuntime, order: RunOrder) -> Exit:
    return await runtime.wait(order.key, (await started(runtime, order)).handle)


async def read(
    runtime: ProcessRuntime, key: AttemptKey, *, stdout_from: int = 0, stderr_from: int = 0
) -> dict[Stream, bytes]:
    streams: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}
    begins: dict[Stream, int] = {"stdout": stdout_from, "stderr": stderr_from}
    async for piece in runtime.log(key, "", stdout_from=stdout_from, stderr_from=stderr_from):
        assert piece.offset == begins[piece.stream] + len(streams[piece.stream])
        streams[piece.stream] += piece.data
    return streams


async def output(runtime: ProcessRuntime, order: RunOrder) -> bytes:
    """Run the order and return its stdout; it must end with 0 and say nothing on stderr."""
    end = await run(runtime, order)
    streams = await read(runtime, order.key)
    assert (end.exit_code, streams["stderr"]) == (0, b"")
    return streams["stdout"]


async def first_output(runtime: ProcessRuntime, key: AttemptKey) -> bytes:
    async for piece in runtime.log(key, "", stdout_from=0, stderr_from=0):
        return piece.data
    raise AssertionError("it ended without a word")


async def eventually(is_true: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait for what no event tells: another process' doing."""
    async with asyncio.timeout(5):
        while True:
            answer = is_true()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.005)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.parametrize("code", [0, 3, 127, 255])
async def test_the_exit_code_is_the_jobs(
    runtime: ProcessRuntime, workspace: Path, code: int
) -> None:
    begin = time.time()

    end = await run(runtime, an_order(("/bin/sh", "-c", f"exit {code}"), workspace))

    assert (end.exit_code, end.lost, end.text, end.oom_killed) == (code, False, None, None)
    assert begin - 0.02 <= end.finished_at <= time.time()
    assert end.ran_for_s is not None
    assert 0 < end.ran_for_s < 5


async def test_text_goes_through_a_shell_and_a_list_does_not(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    text = await output(runtime, an_order("echo $((1 + 1)) '$x'; cd /; pwd", workspace))
    plain = await output(runtime, an_order(("echo", "$((1 + 1))", "'; exit 3 #"), workspace))

    assert (text, plain) == (b"2 $x\n/\n", b"$((1 + 1)) '; exit 3 #\n")


async def test_an_unknown_command_ends_with_127_and_says_so(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("no-such-command",), workspace)

    end = await run(runtime, order)

    assert end.exit_code == 127
    assert b"no-such-command" in (await read(runtime, order.key))["stderr"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGPIPE])
async def test_a_signal_ends_it_with_128_and_its_number_and_no_word_of_the_shell(
    runtime: ProcessRuntime, workspace: Path, number: int
) -> None:
    order = an_order(f"kill -{int(number)} $$", workspace)

    end = await run(runtime, order)

    assert (end.exit_code, end.lost) == (128 + number, False)
    assert await read(runtime, order.key) == {"stdout": b"", "stderr": b""}


async def test_a_job_that_obeys_term_ends_with_143_before_its_grace(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo ready; exec sleep 60", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)

    await runtime.stop(order.key, handle, 30)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (143, False)


async def test_a_job_may_answer_term_with_its_own_code(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("trap 'echo bye; exit 5' TERM; echo ready; sleep 60 & wait", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)

    await runtime.stop(order.key, handle, 30)

    assert (await runtime.wait(order.key, handle)).exit_code == 5
    assert (await read(runtime, order.key))["stdout"] == b"ready\nbye\n"


async def test_a_job_that_ignores_term_dies_after_its_grace(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("trap '' TERM; echo ready; while :; do sleep 60; done", workspace)
    handle = (await started(runtime, order)).handle
    await first_output(runtime, order.key)
    begin = time.monotonic()

    await runtime.stop(order.key, handle, 0.2)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (137, False)
    assert 0.2 <= time.monotonic() - begin < 5


async def test_a_stop_right_after_the_start_is_not_lost(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order(("sleep", "60"), workspace) for _ in range(20)]

    async def start_and_stop(order: RunOrder) -> Exit:
        handle = (await started(runtime, order)).handle
        await runtime.stop(order.key, handle, 30)
        return await runtime.wait(order.key, handle)

    async with asyncio.timeout(10):
        ends = await asyncio.gather(*map(start_and_stop, orders))

    assert {(end.exit_code, end.lost) for end in ends} == {(143, False)}


async def test_every_byte_value_comes_through(runtime: ProcessRuntime, workspace: Path) -> None:
    every = bytes(range(256)) * 3
    (workspace / "bytes").write_bytes(every)
    order = an_order("cat bytes; cat bytes >&2", workspace)

    await run(runtime, order)

    assert await read(runtime, order.key) == {"stdout": every, "stderr": every}


async def test_two_hundred_thousand_lines_arrive_whole_while_they_are_written(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("seq 200000; seq 200000 | sed s/^/e/ >&2", workspace)
    await started(runtime, order)

    streams = await read(runtime, order.key)

    lines = [str(n).encode() + b"\n" for n in range(1, 200_001)]
    assert digest(streams["stdout"]) == digest(b"".join(lines))
    assert digest(streams["stderr"]) == digest(b"".join(b"e" + line for line in lines))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_the_log_is_live(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo one; read line <gate; echo $line", workspace)
    os.mkfifo(workspace / "gate")
    await started(runtime, order)

    assert await first_output(runtime, order.key) == b"one\n"
    await asyncio.to_thread((workspace / "gate").write_text, "two\n")
    assert (await read(runtime, order.key))["stdout"] == b"one\ntwo\n"


async def test_the_log_goes_on_from_the_given_offsets(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo abc; echo def >&2", workspace)
    await run(runtime, order)

    assert await read(runtime, order.key, stdout_from=2, stderr_from=4) == {
        "stdout": b"c\n",
        "stderr": b"",
    }


async def test_the_log_of_an_ended_attempt_does_not_wait_for_a_tick(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo abc", workspace)
    await run(runtime, order)

    async with asyncio.timeout(0.15):
        assert (await read(runtime, order.key))["stdout"] == b"abc\n"


async def test_the_log_ends_at_its_cap(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("head -c 2000000 /dev/zero; echo end >&2", workspace, log_cap_mib=1)
    await run(runtime, order)

    streams = await read(runtime, order.key)

    assert (len(streams["stdout"]), streams["stderr"]) == (1 << 20, b"end\n")


async def test_a_second_agent_adopts_what_a_killed_one_left(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo $PPID; read line <gate; echo $line; exit 9", workspace)
    os.mkfifo(workspace / "gate")
    before = await start_in_an_agent_and_kill_it(tmp_path / "state", order)

    after = await started(runtime, order)
    assert await runtime.find() == [
        Found(
            key=order.key,
            number=order.number,
            epoch=order.epoch,
            handle=before.handle,
            running=True,
            started_at=before.started_at,
        )
    ]
    waiting = asyncio.create_task(runtime.wait(order.key, after.handle))
    await asyncio.to_thread((workspace / "gate").write_text, "gone on\n")
    end = await waiting

    shim = before.handle.split(":")[0].encode()
    assert after.handle == before.handle
    assert (end.exit_code, end.lost, end.ran_for_s) == (9, False, None)
    assert (await read(runtime, order.key))["stdout"] == shim + b"\ngone on\n"


async def test_the_end_is_known_after_it_came_while_no_agent_was_there(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("exit 4", workspace)
    before = await start_in_an_agent_and_kill_it(tmp_path / "state", order)
    shim = int(before.handle.split(":")[0])
    await eventually(lambda: not is_alive(shim))

    end = await runtime.wait(order.key, before.handle)

    assert (end.exit_code, end.lost) == (4, False)
    assert end.finished_at >= before.started_at
    assert [found.running for found in await runtime.find()] == [False]


async def start_in_an_agent_and_kill_it(state_dir: Path, order: RunOrder) -> Started:
    agent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.rig.process_orders",
        str(state_dir),
        order_json(order),
        stdout=asyncio.subprocess.PIPE,
    )
    assert agent.stdout is not None
    line = await agent.stdout.readline()
    agent.kill()
    await agent.communicate()
    return msgspec.json.decode(line, type=Started)


async def test_a_start_after_a_start_adopts(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo once >>ran; exec sleep 60", workspace)
    first = await started(runtime, order)

    assert await started(runtime, order) == first
    await runtime.stop(order.key, first.handle, 0)


async def test_a_shim_that_comes_late_and_the_one_sent_after_it_run_the_job_once(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order("echo ran >>ran; exit 6", workspace) for _ in range(30)]
    late = [send_a_shim(tmp_path / "state", order) for order in orders]

    ends = await asyncio.gather(*(run(runtime, order) for order in orders))

    reap_all(late)
    assert [(end.exit_code, end.lost) for end in ends] == [(6, False)] * 30
    assert (workspace / "ran").read_text() == "ran\n" * 30


async def test_a_shim_that_comes_after_the_removal_runs_nothing(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    orders = [an_order("echo $$ >>ran; exec sleep 60", workspace) for _ in range(30)]
    late = [send_a_shim(tmp_path / "state", order) for order in orders]

    for order in orders:
        await runtime.remove(order.key, "")

    reap_all(late)
    ran = workspace / "ran"
    jobs = [int(pid) for pid in ran.read_text().split()] if ran.exists() else []
    await eventually(lambda: not any(map(is_alive, jobs)))
    assert await runtime.find() == []


def reap_all(children: list[int]) -> None:
    for pid in children:
        with suppress(ChildProcessError):  # the runtime has reaped those that it adopted
            os.waitpid(pid, 0)


def send_a_shim(state_dir: Path, order: RunOrder) -> int:
    """Do what an agent does that is killed right after the spawn."""
    folder = AttemptFolder(f"{state_dir}/attempts/{order.key.uid}-1")
    folder.create()
    launch = plan_launch(order, path=STANDARD_PATH, my_uid=os.geteuid(), my_gid=os.getegid())
    return spawn_attempt(order, folder, launch, a_host()).pid


async def test_an_unclaimed_folder_is_started_again_and_runs_once(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo ran >>ran", workspace)
    (tmp_path / f"state/attempts/{order.key.uid}-1").mkdir(parents=True)

    assert await runtime.find() == []
    assert (await run(runtime, order)).exit_code == 0
    assert (workspace / "ran").read_text() == "ran\n"


async def test_what_the_main_process_leaves_behind_is_killed(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("sleep 60 & echo $!; nohup sleep 60 >/dev/null & echo $!", workspace)

    pids = [int(pid) for pid in (await output(runtime, order)).split()]

    await eventually(lambda: not any(map(is_alive, pids)))


async def test_a_job_whose_shim_is_killed_from_outside_is_lost_and_does_not_run_on(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo $$; exec sleep 60", workspace)
    handle = (await started(runtime, order)).handle
    job = int(await first_output(runtime, order.key))

    os.kill(int(handle.split(":")[0]), signal.SIGKILL)
    end = await runtime.wait(order.key, handle)

    assert (end.exit_code, end.lost) == (137, True)
    assert end.text == "its shim was killed from outside, so its exit code is not known"
    assert not is_alive(job)


async def test_the_environment_is_clean(
    runtime: ProcessRuntime, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_AGENT", "x")
    env = {"A": "1 2'\n3", "PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "all"}

    seen = await output(runtime, an_order(("env", "-0"), workspace, env=env, uid="u"))

    variables = dict(line.split("=", 1) for line in seen.decode().split("\0") if line)
    for name in ("PWD", "OLDPWD", "SHLVL", "_"):  # a shell's own
        variables.pop(name, None)
    assert variables == {
        "A": "1 2'\n3",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": "",
        "EAAS_JOB_UID": "u",
        "EAAS_WORKSPACE": str(workspace),
        "HOME": str(workspace),
        "LANG": "C.UTF-8",
        "NVIDIA_VISIBLE_DEVICES": "void",
        "PATH": "/usr/bin:/bin",
    }


async def test_variables_that_no_shell_passes_on_arrive(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    env = {"with.dot": "1", "with-dash": "2", "IFS": "x", "OPTIND": "none"}

    seen = (await output(runtime, an_order(("env",), workspace, env=env))).decode().splitlines()

    assert {"with.dot=1", "with-dash=2", "IFS=x", "OPTIND=none"} <= set(seen)


async def test_the_job_sees_its_real_cards(runtime: ProcessRuntime, workspace: Path) -> None:
    cards = (
        CardSlot(uuid=CardUuid("GPU-a")),
        CardSlot(uuid=CardUuid("GPU-s"), simulated=True),
        CardSlot(uuid=CardUuid("GPU-b")),
    )
    order = an_order("echo $CUDA_VISIBLE_DEVICES $NVIDIA_VISIBLE_DEVICES", workspace, cards=cards)

    assert await output(runtime, order) == b"GPU-a,GPU-b GPU-a,GPU-b\n"


async def test_the_job_gets_no_descriptor_and_no_signal_setting_of_ours(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("umask; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd", workspace)

    umask, _, blocked, _, ignored, *fds = (await output(runtime, order)).split()

    assert (umask, int(blocked, 16), int(ignored, 16) & ~C_LIBRARYS_OWN) == (b"0022", 0, 0)
    assert {int(fd) for fd in fds} - inherited_by_everyone() == {0, 1, 2, 3}


def inherited_by_everyone() -> set[int]:
    """Return what whoever started these tests left open for all their children."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    return {fd for fd in numbers if fd > 3 and is_inheritable(fd)}


def is_inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return False


@pytest.mark.parametrize(
    ("workdir", "inside"),
    [(None, ""), ("/workspace", ""), ("/workspace/sub dir", "/sub dir"), ("sub dir", "/sub dir")],
)
async def test_the_working_directory_is_in_the_workspace(
    runtime: ProcessRuntime, workspace: Path, workdir: str | None, inside: str
) -> None:
    (workspace / "sub dir").mkdir()

    seen = await output(runtime, an_order(("pwd",), workspace, workdir=workdir))

    assert seen.decode() == f"{workspace}{inside}\n"


async def test_a_working_directory_that_is_not_there_is_the_users_fault(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    with pytest.raises(StartFailed, match="/workspace/none does not exist") as caught:
        await started(runtime, an_order(("true",), workspace, workdir="/workspace/none"))

    assert (caught.value.fault, caught.value.reason_code) == ("user", "workdir_bad")


async def test_a_start_that_fails_leaves_nothing_behind(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    with pytest.raises(StartFailed):
        await started(runtime, an_order(("echo", "a\0b"), workspace))

    assert list((tmp_path / "state/attempts").iterdir()) == []


@needs_root
async def test_run_as_becomes_that_user_and_may_reopen_its_streams(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    command = "id -u; id -g; id -G; echo 1 >>/dev/stderr; grep SigIgn /proc/self/status; echo $X"
    order = an_order(command, workspace, run_as="1234:2345", env={"X": "x", "LD_PRELOAD": ""})

    end = await run(runtime, order)

    streams = await read(runtime, order.key)
    *ids, _, ignored, variable = streams["stdout"].split()
    assert (ids, variable) == ([b"1234", b"2345", b"2345"], b"x")
    assert int(ignored, 16) & ~C_LIBRARYS_OWN == 0
    assert (end.exit_code, streams["stderr"]) == (0, b"1\n")


@needs_root
async def test_an_unknown_command_under_run_as_ends_with_127(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("no-such-command",), workspace, run_as="1234")

    assert (await run(runtime, order)).exit_code == 127
    assert (await read(runtime, order.key))["stderr"] == (
        b"no-such-command: No such file or directory\n"
    )


async def test_two_hundred_jobs_at_once_all_end(runtime: ProcessRuntime, workspace: Path) -> None:
    orders = [an_order(("true",), workspace) for _ in range(200)]

    ends = await asyncio.gather(*(run(runtime, order) for order in orders))

    assert {end.exit_code for end in ends} == {0}


async def test_a_waiter_that_gives_up_disturbs_no_other(
    runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("read line <gate; exit 3", workspace)
    os.mkfifo(workspace / "gate")
    handle = (await started(runtime, order)).handle
    staying = asyncio.create_task(runtime.wait(order.key, handle))
    leaving = asyncio.create_task(runtime.wait(order.key, handle))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.to_thread((workspace / "gate").write_text, "go\n")

    assert (await staying).exit_code == 3
    assert leaving.cancelled()


async def test_remove_forgets_the_attempt_and_may_be_repeated(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order("echo hi", workspace)
    await run(runtime, order)

    await runtime.remove(order.key, "")
    await runtime.remove(order.key, "")

    assert await runtime.find() == []
    assert list((tmp_path / "state/attempts").iterdir()) == []
    end = await runtime.wait(order.key, "")
    assert (end.exit_code, end.lost) == (None, True)
    assert end.text == "it never ran: nothing could be written into its folder, or it is gone"


async def test_remove_kills_what_still_runs(runtime: ProcessRuntime, workspace: Path) -> None:
    order = an_order("echo $$; exec sleep 60", workspace)
    await started(runtime, order)
    job = int(await first_output(runtime, order.key))

    await runtime.remove(order.key, "")

    await eventually(lambda: not is_alive(job))


async def test_another_agents_attempts_are_not_ours(
    tmp_path: Path, runtime: ProcessRuntime, workspace: Path
) -> None:
    order = an_order(("true",), workspace)
    await run(runtime, order)
    other = ProcessRuntime(tmp_path / "state", "agent-2")

    assert await other.find() == []
    await other.close()


async def test_the_probe_says_what_processes_are(runtime: ProcessRuntime) -> None:
    assert await runtime.probe() == RuntimeState(
        kind="process", engine=None, fault=None, notes=NOTES, can_isolate_cards=False
    )
    assert await runtime.images() == ()


async def test_the_probe_says_why_nothing_can_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    runtime = ProcessRuntime(tmp_path / "file", "agent-1")

    assert (await runtime.probe()).fault == (
        f"{tmp_path}/file/attempts cannot be made: Not a directory"
    )
