"""Where the controller listens: a socket of this host and a port, or a sentence why not."""

import errno
import socket
import stat
from pathlib import Path
from typing import Final

from eaas.errors import EaasError

BACKLOG: Final = 1024


class PortInUse(EaasError):
    """Another program listens there."""

    code = "port_in_use"
    http_status = 503


class SocketInUse(EaasError):
    """Another controller answers on the socket."""

    code = "socket_in_use"
    http_status = 503


class NoSuchAddress(EaasError):
    """This machine can't listen there."""

    code = "no_such_address"


def refuse_taken(path: Path) -> None:
    """Make sure that nobody answers at the path, and take away what a dead controller left."""
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise SocketInUse(f"{path} exists and is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise SocketInUse(f"{path} can't be tried: {error.strerror or error}") from error
    raise SocketInUse(f"another controller answers at {path}")


def tcp_listener(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address; port 0 takes any free one."""
    name = "127.0.0.1" if host == "localhost" else host
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    both = name == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(
            (name, port), family=family, backlog=BACKLOG, dualstack_ipv6=both
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(f"port {port} of {host} is taken by another program") from error
        raise NoSuchAddress(f"can't listen on {host}: {error.strerror or error}") from error
