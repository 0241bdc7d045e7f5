import asyncio
import io
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from eaas.client.logins import Login, read_logins
from eaas.tokens import Token, new_token
from eaas_daemon.core.events import RevokeToken
from tests.daemon.api.served import House, a_controller, a_house
from tests.eaas.cli.conftest import Said, Type
from tests.rig.builders import ADMIN
from tests.rig.impostor import CA_PEM, an_impostor
from tests.rig.pool import CLI
from tests.rig.terminal import RealTerminal


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A controller of some other machine."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with a_house(elsewhere) as house:
        yield house


@pytest.fixture
async def url(house: House) -> AsyncIterator[str]:
    """Where it is reached, by TLS."""
    async with a_controller(house, tls=True) as served:
        yield served.address


async def typed(typing: Type, *words: str, token: Token | None = None) -> Said:
    """Type a command line while this loop serves."""
    shown = () if token is None else ("--token", str(token))
    return await asyncio.to_thread(typing, *words, *shown)


def kept(home: Path) -> tuple[Login, ...]:
    """Return the logins that are kept."""
    return read_logins({"MINI_EAAS_HOME": str(home)}).logins


async def test_who_logged_in_once_needs_no_address_and_no_token_any_more(
    typing: Type, home: Path, house: House, url: str
) -> None:
    token = await house.token(user="ann")

    said = await typed(typing, "login", url, token=token)

    assert said.code == 0, said.err
    assert "ann (member)" in said.out
    pem = house.parts.authority.pem.decode()
    assert kept(home) == (Login(url=url, token=str(token), ca=pem),)
    assert token.secret not in said.out + said.err
    status = await typed(typing, "status", "-o", "json")
    assert json.loads(status.out)["user"] == "ann"
    by_name = await typed(typing, "status", "-o", "json", "--server", url.removeprefix("https://"))
    assert json.loads(by_name.out)["user"] == "ann"


async def test_the_token_may_stand_in_the_environment(
    typing: Type, home: Path, house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINI_EAAS_TOKEN", str(await house.token(user="ann")))

    said = await typed(typing, "login", url, "-o", "json")

    assert json.loads(said.out) == {"server": url, "user": "ann", "role": "member"}


async def test_a_token_that_is_typed_is_not_seen(home: Path, house: House, url: str) -> None:
    token = await house.token(user="ann")
    with RealTerminal(str(CLI), "login", url) as terminal:
        await asyncio.to_thread(terminal.await_text, "Token:")
        terminal.type(f"{token}\n")
        code = await asyncio.to_thread(terminal.await_end)

        assert (code, kept(home)[0].token) == (0, str(token)), terminal.text
        assert b"ann (member)" in terminal.written
        assert token.secret.encode() not in terminal.written


async def test_without_a_terminal_the_token_is_a_line_of_stdin(
    home: Path, house: House, url: str
) -> None:
    token = await house.token(user="ann")

    given, nothing = [
        await asyncio.to_thread(
            subprocess.run,
            [str(CLI), "login", url],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
        )
        for text in (f"{token}\n", "")
    ]

    assert (given.returncode, given.stderr) == (0, "")
    assert "ann (member)" in given.stdout
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "mini-eaas login SERVER < FILE" in nothing.stderr
    assert "Warning" not in nothing.stderr


async def test_a_controller_that_moved_is_known_by_its_authority_and_takes_the_kept_token(
    typing: Type, home: Path, house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await house.token(user="ann")
    await typed(typing, "login", url, token=token)
    moved = url.replace("127.0.0.1", "localhost")

    said = await typed(typing, "login", moved)

    assert said.code == 0, said.err
    assert [(login.url, login.token) for login in kept(home)] == [
        (url, str(token)),
        (moved, str(token)),
    ]


async def test_a_kept_token_that_was_revoked_is_asked_for_anew(
    typing: Type, home: Path, house: House, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = await house.token(user="ann"), await house.token(user="ann")
    await typed(typing, "login", url, token=old)
    await house.engine.ask(RevokeToken(caller=ADMIN, id=old.id))
    moved = url.replace("127.0.0.1", "localhost")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{new}\n"))

    said = await typed(typing, "login", moved)

    assert said.code == 0, said.err
    assert [login.token for login in kept(home)] == [str(old), str(new)]


async def test_another_controller_does_not_get_the_token_of_the_one_that_is_kept(
    typing: Type,
    home: Path,
    tmp_path: Path,
    house: House,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = await house.token(user="ann")
    await typed(typing, "login", url, token=token)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    async with an_impostor(tmp_path / "own") as impostor:
        said = await typed(typing, "login", impostor.url)

        assert impostor.asked == [CA_PEM]
        assert not impostor.knows(token)
    assert said.code == 2


@pytest.mark.parametrize("shown", ["its own", "the true one", "both"])
async def test_an_impostor_never_hears_the_token(
    typing: Type, home: Path, tmp_path: Path, house: House, shown: str
) -> None:
    token = await house.token()
    true = house.parts.authority.pem
    async with an_impostor(tmp_path / "own") as impostor:
        own = impostor.pem
    pem = {"its own": own, "the true one": true, "both": true + own}[shown]
    async with an_impostor(tmp_path / "own", shown=[pem]) as impostor:
        said = await typed(typing, "login", impostor.url, token=token)

        assert impostor.asked == [CA_PEM]
        assert not impostor.knows(token)
    assert said.code == 1
    assert "nothing secret" in said.err.lower()
    assert token.secret not in said.out + said.err
    assert kept(home) == ()


async def test_who_is_not_let_in_is_not_logged_in(
    typing: Type, home: Path, house: House, url: str
) -> None:
    unknown = new_token("person", house.parts.authority.fingerprint)

    said = await typed(typing, "login", url, token=unknown)

    assert said.code != 0
    assert "does not know this token" in said.err
    assert kept(home) == ()


async def test_a_token_for_agents_or_a_broken_one_goes_nowhere(
    typing: Type, home: Path, tmp_path: Path
) -> None:
    async with an_impostor(tmp_path / "own") as impostor:
        agents = await typed(typing, "login", impostor.url, token=new_token("join", "b" * 52))
        broken = await typed(
            typing, "login", impostor.url, "--token", str(new_token("person", "b" * 52))[:-1]
        )

        assert impostor.heard == b""
    assert "mini-eaas agent join takes it" in agents.err
    assert "copy all of it once more" in broken.err
    assert (agents.code, broken.code) == (2, 2)


def test_a_token_is_not_sent_in_the_clear_to_elsewhere(typing: Type, home: Path) -> None:
    said = typing("login", "http://big:7470", "--token", str(new_token("person", "b" * 52)))

    assert said.code == 2
    assert "write https://big:7470" in said.err
    assert kept(home) == ()


async def test_on_this_machine_a_login_needs_no_tls(typing: Type, home: Path, house: House) -> None:
    token = await house.token(user="ann")
    async with a_controller(house) as served:
        said = await typed(typing, "login", served.address, token=token)

    assert said.code == 0, said.err
    assert kept(home) == (Login(url=served.address, token=str(token), ca=""),)


def test_where_nobody_answers_a_sentence_says_so(
    typing: Type, home: Path, unused_tcp_port: int
) -> None:
    server = f"127.0.0.1:{unused_tcp_port}"
    said = typing("login", server, "--token", str(new_token("person", "b" * 52)))

    assert said.err == (
        f"no controller answers at https://{server} (connection refused); check the address and "
        "that the controller runs there\n"
    )
    assert kept(home) == ()


async def test_a_login_that_can_not_be_kept_says_so(
    typing: Type, home: Path, house: House, url: str
) -> None:
    (home / "logins.json.part").mkdir()

    said = await typed(typing, "login", url, token=await house.token())

    assert said.code == 1
    assert "logins.json can't be written" in said.err


async def test_a_controller_is_forgotten_with_its_token(
    typing: Type, home: Path, house: House, url: str
) -> None:
    await typed(typing, "login", url, token=await house.token())

    first = await typed(typing, "logout", url)
    second = await typed(typing, "logout", url)
    afterwards = await typed(typing, "status")

    assert first.out == f"{url} is forgotten\n"
    assert second.out == f"there was no login to {url}\n"
    assert kept(home) == ()
    assert "mini-eaas up starts a pool" in afterwards.err
