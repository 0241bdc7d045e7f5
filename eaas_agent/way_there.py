"""Whether packets get to the controller: its name, the route, the port."""

import asyncio
import errno
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from eaas.exit_codes import UNREACHABLE
from eaas_agent.check_step import Step

LOOK_UP_S: Final = 10.0
CONNECT_S: Final = 5.0
NO_ROUTE: Final = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)


async def name_step(host: str, port: int) -> tuple[Step, tuple[str, ...]]:
    """Look the name up; return what came of it, and the addresses, none if it failed."""
    try:
        async with asyncio.timeout(LOOK_UP_S):
            found = await asyncio.get_running_loop().getaddrinfo(
                host, port, type=socket.SOCK_STREAM
            )
    except TimeoutError:
        text = f"no name server told within {LOOK_UP_S:.0f} s what {host} is"
        return _failed_name(host, text), ()
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no name"
        return _failed_name(host, f"{host} is not known here ({why})"), ()
    addresses = tuple(dict.fromkeys(str(where[0]) for *_, where in found))
    if addresses == (host,):
        return Step(name="name", text=f"{host} is an address, nothing to look up"), addresses
    return Step(name="name", text=f"{host} is {', '.join(addresses)}"), addresses


def _failed_name(host: str, text: str) -> Step:
    advice = f"Try: getent hosts {host}; or write the controller's address in place of the name"
    return Step(name="name", text=text, advice=advice, exit_code=UNREACHABLE)


async def port_step(addresses: Sequence[str], port: int) -> Step:
    """Connect to one of the addresses."""
    failure = None
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(address, port)
        except OSError as error:  # a TimeoutError is one
            failure = failure or unreached(address, port, error)
        else:
            writer.close()
            return Step(name="port", text=f"{_at(address, port)} takes connections")
    assert failure is not None, "there is an address"
    return failure


def unreached(address: str, port: int, error: OSError) -> Step:
    """Return what it means that the connection failed, and what to do."""
    if isinstance(error, ConnectionRefusedError):
        text = f"{_at(address, port)} refuses: nothing listens there, or a firewall says no"
        advice = (
            f"On the controller's host: ss -ltn | grep :{port} shows whether it listens, and not "
            "only on 127.0.0.1 (mini-eaas controller run --listen 0.0.0.0)"
        )
    elif error.errno in NO_ROUTE:
        text = f"there is no route to {address} ({error.strerror})"
        advice = f"Try: ip route get {address}, then ping {address}"
    elif isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        text = f"{_at(address, port)} did not answer within {CONNECT_S:.0f} s"
        advice = (
            f"Try: ping {address}; where that answers, a firewall swallows this one port: let TCP "
            f"{port} in on the controller's host"
        )
    else:
        text = f"{_at(address, port)} can't be reached ({error.strerror or error})"
        advice = f"Try: ping {address}"
    return Step(name="port", text=text, advice=advice, exit_code=UNREACHABLE)


def _at(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


async def socket_step(place: Path) -> Step:
    """Connect to the controller's socket on this host."""
    start = "Start it: mini-eaas up; or name another controller: --server HOST"
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_unix_connection(place)
    except FileNotFoundError:
        text = f"{place} is not there: no controller runs on this host"
        return Step(name="socket", text=text, advice=start, exit_code=UNREACHABLE)
    except ConnectionRefusedError:
        text = f"nobody listens at {place}: the controller has ended"
        return Step(name="socket", text=text, advice=start, exit_code=UNREACHABLE)
    except OSError as error:
        text = f"{place} can't be opened ({error.strerror or error})"
        return Step(name="socket", text=text, advice=f"Try: ls -l {place}", exit_code=UNREACHABLE)
    writer.close()
    return Step(name="socket", text=f"{place} takes connections")
