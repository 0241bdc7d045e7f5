import socket

import pytest

from eaas_daemon.api.listening import NoSuchAddress, PortInUse, SocketInUse, tcp_listener
from eaas_daemon.api.server import serve
from tests.daemon.api.served import House


def test_all_addresses_are_those_of_both_kinds() -> None:
    with tcp_listener("::", 0) as listener:
        port = listener.getsockname()[1]
        for place in ("127.0.0.1", "::1"):
            with socket.create_connection((place, port), timeout=5):
                pass


def test_an_address_that_is_not_this_machines_is_refused_in_a_sentence() -> None:
    with pytest.raises(NoSuchAddress, match=r"can't listen on 192\.0\.2\.77: "):
        tcp_listener("192.0.2.77", 0)


async def test_a_taken_port_is_told_before_anything_is_served(house: House) -> None:
    path = house.parts.home / "x"
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(PortInUse):
        await serve(house.app, socket_path=path, host="127.0.0.1", port=other.getsockname()[1])

    assert not path.exists()


async def test_a_socket_on_which_somebody_answers_is_not_taken(house: House) -> None:
    with pytest.raises(SocketInUse):
        await serve(house.app, socket_path=house.socket, host="127.0.0.1", port=0)

    assert (await house.ask("GET", "/api/v1/status"))[0] == 200
