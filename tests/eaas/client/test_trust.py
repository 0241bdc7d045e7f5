import asyncio
import ssl
from pathlib import Path

import aiohttp
import pytest

from eaas.client import Address, Client
from eaas.client.trust import (
    MAX_CA_BYTES,
    NotTheController,
    authority_at,
    context_for,
    is_of,
    trusted,
)
from eaas.tokens import fingerprint, new_token
from tests.daemon.api.served import a_controller, a_house
from tests.rig.impostor import CA_PEM, an_impostor


def of(pem: bytes) -> str:
    """Return the fingerprint of a certificate."""
    return fingerprint(ssl.PEM_cert_to_DER_cert(pem.decode()))


async def test_a_controller_shows_the_authority_that_its_tokens_name(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house, a_controller(house, tls=True) as served:
        pem = await authority_at(served.address, house.parts.authority.fingerprint)

    assert pem.encode() == house.parts.authority.pem


async def test_another_authority_is_told_apart_and_asked_for_nothing_else(tmp_path: Path) -> None:
    token = new_token("person", "b" * 52)
    async with an_impostor(tmp_path / "ca") as impostor:
        with pytest.raises(NotTheController, match="is not the controller that made this token"):
            await authority_at(impostor.url, token.ca)

        assert impostor.asked == [CA_PEM]
        assert not impostor.knows(token)


async def test_an_impostor_that_shows_the_right_authority_beside_its_own_is_not_believed(
    tmp_path: Path,
) -> None:
    async with an_impostor(tmp_path / "true") as real:
        token = new_token("person", of(real.pem))
    async with an_impostor(tmp_path / "own") as impostor:
        own = impostor.pem
    for shown in (real.pem + own, real.pem, own + real.pem):
        async with an_impostor(tmp_path / "own", shown=(shown,)) as impostor:
            async with Client(Address(url=impostor.url, token=str(token))) as client:
                with pytest.raises(NotTheController):
                    await client.status()

            assert impostor.asked == [CA_PEM]
            assert not impostor.knows(token)


async def test_only_the_certificate_that_the_token_names_is_taken_over(tmp_path: Path) -> None:
    async with an_impostor(tmp_path / "true") as real:
        pem = real.pem
    async with an_impostor(tmp_path / "own", shown=(pem, pem)) as impostor:
        taken = await authority_at(impostor.url, of(pem))

    assert taken.encode() == pem
    assert len(context_for(taken).get_ca_certs()) == 1


async def test_a_certificate_may_arrive_in_pieces(tmp_path: Path) -> None:
    async with an_impostor(tmp_path / "true") as real:
        pem = real.pem
    pieces = [pem[at : at + 40] for at in range(0, len(pem), 40)]
    async with an_impostor(tmp_path / "own", shown=pieces) as impostor:
        assert (await authority_at(impostor.url, of(pem))).encode() == pem


@pytest.mark.parametrize(
    "shown", [b"", b"no certificate", b"\xff" * 9, b"x" * (2 * MAX_CA_BYTES)], ids=len
)
async def test_what_shows_no_certificate_is_not_the_controller(
    tmp_path: Path, shown: bytes
) -> None:
    async with an_impostor(tmp_path / "ca", shown=(shown,)) as impostor:
        with pytest.raises(NotTheController, match="Nothing secret was sent"):
            await authority_at(impostor.url, "b" * 52)


async def test_a_certificate_counts_only_in_a_good_answer(tmp_path: Path) -> None:
    async with an_impostor(tmp_path / "ca") as impostor:
        impostor.status = 404
        with pytest.raises(NotTheController):
            await authority_at(impostor.url, of(impostor.pem))


async def test_where_nobody_listens_nobody_is_told_apart(unused_tcp_port: int) -> None:
    with pytest.raises(aiohttp.ClientConnectorError):
        await authority_at(f"https://127.0.0.1:{unused_tcp_port}", "b" * 52)


async def test_a_known_authority_is_not_asked_for_and_an_unknown_one_is_this_machines_matter(
    tmp_path: Path,
) -> None:
    async with an_impostor(tmp_path / "ca") as impostor:
        known = await trusted(Address(url=impostor.url, ca=impostor.pem.decode()))
        unknown = await trusted(Address(url=impostor.url))
        foreign = await trusted(Address(url=impostor.url, token="made-by-a-proxy"))

        assert isinstance(known, ssl.SSLContext)
        assert (unknown, foreign) == (True, True)
        assert impostor.heard == b""


async def test_a_renewed_certificate_under_the_same_authority_is_believed(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        address = Address(ca=house.parts.authority.pem.decode(), token=str(await house.token()))
        seen = []
        for _ in range(2):
            async with a_controller(house, tls=True) as served:
                at = Address(url=served.address, ca=address.ca, token=address.token)
                async with Client(at) as client:
                    assert (await client.status()).role == "member"
                host, port = "127.0.0.1", int(served.address.rpartition(":")[2])
                seen.append(await asyncio.to_thread(ssl.get_server_certificate, (host, port)))
            (house.parts.home / "trust" / "server.pem").unlink()

    assert seen[0] != seen[1]


def test_a_fingerprint_belongs_to_one_certificate() -> None:
    assert not is_of("no certificate", "b" * 52)
