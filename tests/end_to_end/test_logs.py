"""What jobs write arrives whole, in order and to the byte."""

import hashlib
import json

from eaas.lifecycle import JobState
from tests.rig.site import Site

LINES = 200_000
BOTH_STREAMS = (
    f"seq 1 {LINES} | tee $EAAS_WORKSPACE/copy; seq 1 1000 >&2; sha256sum $EAAS_WORKSPACE/copy >&2"
)
OCTAL = "".join(f"\\{byte:03o}" for byte in range(256))


async def test_200000_lines_arrive_complete(site: Site) -> None:
    job = await site.run(BOTH_STREAMS)

    assert job.state == JobState.SUCCEEDED
    log = await site.log(job)
    expected = "".join(f"{number}\n" for number in range(1, LINES + 1)).encode()
    assert hashlib.sha256(log).hexdigest() == hashlib.sha256(expected).hexdigest()
    *numbers, told = (await site.log(job, stream="stderr")).splitlines()
    assert numbers == [str(number).encode() for number in range(1, 1001)]
    assert told.split()[0] == hashlib.sha256(log).hexdigest().encode()


async def test_every_value_of_a_byte_is_kept(site: Site) -> None:
    job = await site.run(f"printf '{OCTAL}'; printf 'x%.0s' $(seq 40000); echo")

    raw = site.pool.eaas("job", "logs", str(job.id), "--raw")
    assert raw.stdout == bytes(range(256)) + b"x" * 40_000 + b"\n"


async def test_raw_takes_the_stream_that_is_asked_for(site: Site) -> None:
    job = await site.run("printf out; printf '\\377\\0' >&2")

    assert site.pool.eaas("job", "logs", str(job.id), "--raw").stdout == b"out"
    raw = site.pool.eaas("job", "logs", str(job.id), "--raw", "--stream", "stderr")
    assert raw.stdout == b"\xff\0"


async def test_a_log_is_safe_to_print_unless_it_is_asked_for_raw(plain: Site) -> None:
    job = await plain.run(r"printf 'a\033]0;title\007b\033[31mc\n'")

    printed = plain.pool.eaas("job", "logs", str(job.id)).stdout

    assert b"\033" not in printed
    assert b"\007" not in printed


async def test_a_failed_job_shows_its_last_50_lines_and_a_hint(site: Site) -> None:
    job = await site.run("seq 1 80; exit 3")

    shown = site.pool.said("job", "show", str(job.id))

    lines = shown.splitlines()
    begin = lines.index("the last lines it wrote:") + 1
    assert lines[begin : begin + 50] == [str(number) for number in range(31, 81)]
    assert f"mini-eaas job logs {job.id} shows all it wrote" in shown
    assert "exited with code 3" in shown
    assert json.loads(site.pool.said("job", "show", str(job.id), "-o", "json"))["exit_code"] == 3


async def test_a_tail_is_the_last_lines(plain: Site) -> None:
    job = await plain.run("seq 1 1000")

    assert plain.pool.said("job", "logs", str(job.id), "--tail", "2") == "999\n1000\n"
