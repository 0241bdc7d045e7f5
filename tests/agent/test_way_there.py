import asyncio
import errno
import socket
from pathlib import Path

import pytest

from eaas_agent.way_there import name_step, port_step, socket_step, unreached


async def test_a_name_is_told_with_its_addresses() -> None:
    step, addresses = await name_step("localhost", 7470)

    assert step.is_ok
    assert step.text == f"localhost is {', '.join(addresses)}"
    assert {"127.0.0.1", "::1"} & set(addresses)


async def test_an_address_is_not_looked_up() -> None:
    step, addresses = await name_step("127.0.0.1", 7470)

    assert (step.is_ok, addresses) == (True, ("127.0.0.1",))


async def test_a_name_that_is_none_says_what_to_try() -> None:
    step, addresses = await name_step("hub..example", 7470)

    assert (step.is_ok, addresses) == (False, ())
    assert "Try: getent hosts hub..example" in step.line()


async def test_the_first_address_that_answers_is_enough(unused_tcp_port: int) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", unused_tcp_port):
        step = await port_step(("::1", "127.0.0.1"), unused_tcp_port)

    assert step.text == f"127.0.0.1:{unused_tcp_port} takes connections"


async def test_a_port_where_nobody_listens_says_how_to_see_that(unused_tcp_port: int) -> None:
    step = await port_step(("127.0.0.1",), unused_tcp_port)

    assert not step.is_ok
    assert f"ss -ltn | grep :{unused_tcp_port}" in step.line()


@pytest.mark.parametrize(
    ("error", "means", "to_do"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "refuses", "ss -ltn"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "no route to 10.0.0.4", "ip route get"),
        (TimeoutError(), "did not answer within 5 s", "let TCP 7470 in"),
        (OSError(errno.ETIMEDOUT, "timed out"), "did not answer within 5 s", "ping 10.0.0.4"),
        (OSError(errno.ECONNRESET, "reset"), "can't be reached (reset)", "ping 10.0.0.4"),
    ],
)
def test_each_way_to_fail_has_its_own_advice(error: OSError, means: str, to_do: str) -> None:
    step = unreached("10.0.0.4", 7470, error)

    assert means in step.text
    assert to_do in str(step.advice)


async def test_a_socket_that_is_not_there_or_that_nobody_serves(tmp_path: Path) -> None:
    place = tmp_path / "controller.sock"
    absent = await socket_step(place)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        served = await socket_step(place)
    left = await socket_step(place)

    assert "no controller runs on this host" in absent.text
    assert served.is_ok
    assert "the controller has ended" in left.text
