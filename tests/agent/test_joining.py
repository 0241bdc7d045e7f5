import errno
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from msgspec import UNSET

from eaas.client.address import Address
from eaas.client.trust import NotTheController
from eaas.errors import Unavailable, Unreachable
from eaas.settings.command_line import Typed
from eaas.tokens import BadToken, fingerprint, new_token, read_token
from eaas_agent.config import AgentConfig, config_from, read_settings
from eaas_agent.joining import (
    NothingToJoin,
    NotJoined,
    NotLetIn,
    StopItFirst,
    admitted,
    join,
    join_once,
    proof_for,
)
from eaas_agent.passport import FILE, read_passport, write_passport
from eaas_agent.state_folder import held_state_folder
from tests.rig.impostor import CA_PEM, an_impostor
from tests.rig.newcomer import (
    DAY_S,
    JOIN,
    NOW,
    Mishap,
    Newcomer,
    answers,
    cut,
)

# --- joining


async def test_an_agent_that_joins_gets_a_credential_of_its_own_and_keeps_it(
    newcomer: Newcomer,
) -> None:
    token = await newcomer.house.token("join", uses=2)

    passport = await newcomer.join(token)

    assert read_passport(newcomer.folder) == passport
    assert (passport.url, passport.node, passport.got_at) == (newcomer.url, "n1", NOW)
    assert passport.ca.encode() == newcomer.house.parts.authority.pem
    assert passport.renew_after_s == DAY_S
    assert read_token(passport.credential).kind == "node"
    (known,) = newcomer.known()
    assert (known.node, known.node_uid, known.used_at) == ("n1", "uid-1", None)
    assert await newcomer.knocks(passport.credential) == 400
    assert await newcomer.knocks(passport.credential, "/api/v1/jobs") == 403
    assert await newcomer.knocks(str(token)) == 403
    assert newcomer.house.state.credentials[token.id].uses_left == 1


@pytest.mark.parametrize("shown", ["its own", "the true one", "both", "nothing"])
async def test_an_impostor_never_hears_the_token(tmp_path: Path, shown: str) -> None:
    async with an_impostor(tmp_path / "true") as real, an_impostor(tmp_path / "own") as own:
        pem = {
            "its own": own.pem,
            "the true one": real.pem,
            "both": real.pem + own.pem,
            "nothing": b"",
        }[shown]
    token = new_token("join", fingerprint(ssl.PEM_cert_to_DER_cert(real.pem.decode())))
    async with an_impostor(tmp_path / "own", shown=[pem]) as impostor:
        with pytest.raises(NotTheController):
            await join(
                Address(url=impostor.url, token=str(token)),
                node="n1",
                node_uid="uid-1",
                state_dir=tmp_path,
                now=lambda: NOW,
            )

        assert impostor.asked == [CA_PEM]
        assert not impostor.knows(token)
        assert b"uid-1" not in impostor.heard
    assert read_passport(tmp_path) is None


async def test_a_persons_token_goes_nowhere(newcomer: Newcomer) -> None:
    with pytest.raises(BadToken, match="a person's"):
        await newcomer.join(await newcomer.house.token())
    with pytest.raises(BadToken, match="is no token"):
        await join(
            Address(url=newcomer.url),
            node="n1",
            node_uid="u",
            state_dir=newcomer.folder,
            now=lambda: NOW,
        )

    assert newcomer.asked == []


async def test_whoever_is_not_let_in_is_told_why(newcomer: Newcomer) -> None:
    once = await newcomer.house.token("join", uses=1)
    await newcomer.join(once)

    with pytest.raises(NotLetIn, match="has been used as often as it may be"):
        await newcomer.join(once, node="n2", node_uid="uid-2")
    with pytest.raises(NotLetIn, match="does not know this token"):
        await newcomer.join(new_token("join", once.ca))
    with pytest.raises(NotLetIn, match="can't name a node"):
        await newcomer.join(await newcomer.house.token("join"), node="N 1")
    await newcomer.house.node("n3")
    with pytest.raises(NotLetIn, match="another agent is connected as n3; give this one --name"):
        await newcomer.join(await newcomer.house.token("join"), node="n3")
    assert read_passport(newcomer.folder) is not None


async def test_an_answer_that_is_lost_leaves_nothing_behind_at_the_next_try(
    newcomer: Newcomer,
) -> None:
    token = await newcomer.house.token("join", uses=3)
    newcomer.mishaps += [cut]
    with pytest.raises(aiohttp.ClientError):
        await newcomer.join(token)
    (lost,) = newcomer.known()

    passport = await newcomer.join(token)

    (known,) = newcomer.known()
    assert known.id != lost.id
    assert await newcomer.knocks(passport.credential) == 400


async def test_a_full_disk_at_the_end_of_joining_is_survived(
    newcomer: Newcomer, full_disk: list[int]
) -> None:
    token = await newcomer.house.token("join")
    full_disk += [errno.ENOSPC]
    with pytest.raises(OSError, match="No space left"):
        await newcomer.join(token)
    assert read_passport(newcomer.folder) is None

    passport = await newcomer.join(token)

    assert read_passport(newcomer.folder) == passport
    assert len(newcomer.known()) == 1


# --- being admitted


async def test_on_this_host_nobody_needs_a_passport(tmp_path: Path) -> None:
    address = Address(socket=tmp_path / "c.sock")

    assert (
        await admitted(address, node="n", node_uid="u", state_dir=tmp_path, now=lambda: NOW) is None
    )


async def test_an_agent_without_passport_and_token_is_told_how_to_join(newcomer: Newcomer) -> None:
    with pytest.raises(NotJoined, match="mini-eaas agent join --server HOST --token TOKEN"):
        await newcomer.admitted(None)


@pytest.mark.parametrize("mishap", [cut, answers(503), answers(502), answers(429)])
async def test_an_agent_with_a_token_tries_until_it_is_let_in(
    newcomer: Newcomer,
    monkeypatch: pytest.MonkeyPatch,
    mishap: Mishap,
) -> None:
    monkeypatch.setattr("eaas_agent.dial.FIRST_DELAY_S", 0.01)
    newcomer.mishaps += [mishap, mishap]

    passport = await newcomer.admitted(await newcomer.house.token("join"))

    assert newcomer.asked == [JOIN] * 3
    assert read_passport(newcomer.folder) == passport


async def test_an_agent_that_is_refused_does_not_try_for_ever(newcomer: Newcomer) -> None:
    with pytest.raises(NotLetIn):
        await newcomer.admitted(new_token("join", newcomer.house.parts.authority.fingerprint))


async def test_who_has_a_passport_does_not_ask_again(newcomer: Newcomer) -> None:
    token = await newcomer.house.token("join")
    passport = await newcomer.join(token)

    assert await newcomer.admitted(token) == await newcomer.admitted(None) == passport
    assert newcomer.asked == [JOIN]


async def test_who_joins_again_shows_its_old_credential_and_a_copy_of_its_uid_can_not(
    newcomer: Newcomer,
) -> None:
    first = await newcomer.join(await newcomer.house.token("join"))
    assert await newcomer.knocks(first.credential) == 400

    second = await newcomer.join(await newcomer.house.token("join"))
    await newcomer.knocks(second.credential)
    (newcomer.folder / FILE).unlink()
    with pytest.raises(NotLetIn, match="n1 has joined already"):
        await newcomer.join(await newcomer.house.token("join"))

    permit = await newcomer.house.token("join", node="n1")
    assert (await newcomer.join(permit)).node == "n1"


async def test_the_old_credential_is_shown_to_nobody_but_who_gave_it(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    passport = await newcomer.join(await newcomer.house.token("join"))
    plain = msgspec.structs.replace(passport, ca="")

    assert proof_for(newcomer.folder, "https://moved", passport.ca) == passport.credential
    assert proof_for(newcomer.folder, passport.url, "another authority") is UNSET
    assert proof_for(newcomer.folder, passport.url, "") is UNSET
    assert proof_for(tmp_path, passport.url, passport.ca) is UNSET
    write_passport(newcomer.folder, plain)
    assert proof_for(newcomer.folder, plain.url, "") == plain.credential
    assert proof_for(newcomer.folder, "http://elsewhere", "") is UNSET
    (newcomer.folder / FILE).write_text("torn")
    assert proof_for(newcomer.folder, plain.url, "") is UNSET


async def test_a_controller_that_moved_is_the_same_under_its_new_address(
    newcomer: Newcomer,
) -> None:
    passport = await newcomer.join(await newcomer.house.token("join"))

    moved = await newcomer.admitted(None, url="https://moved:7470")

    assert moved == msgspec.structs.replace(passport, url="https://moved:7470")
    assert read_passport(newcomer.folder) == moved


async def test_a_token_of_another_controller_makes_it_that_ones_node(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    async with an_impostor(tmp_path / "other") as other:
        before = msgspec.structs.replace(
            await newcomer.join(await newcomer.house.token("join")), ca=other.pem.decode()
        )
    write_passport(newcomer.folder, before)

    passport = await newcomer.admitted(await newcomer.house.token("join"))

    assert passport is not None
    assert passport.ca.encode() == newcomer.house.parts.authority.pem
    assert await newcomer.knocks(passport.credential) == 400


# --- the command


def a_config(tmp_path: Path, **typed: Any) -> AgentConfig:
    environ = {"MINI_EAAS_HOME": str(tmp_path)}
    settings = read_settings(Typed(verb="join", values=typed), environ)
    return config_from(settings, environ)


async def test_the_command_joins_and_says_whose_the_node_is(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    token = await newcomer.house.token("join")
    config = a_config(tmp_path, name="node-x", server=newcomer.url, token=str(token))

    said = await join_once(config)

    assert said == f"node-x belongs to {newcomer.url} now"
    passport = read_passport(config.state_dir)
    assert passport is not None
    assert passport.credential not in said
    again = await join_once(config)
    assert again == said
    assert len({each.node_uid for each in newcomer.known()}) == 1


async def test_the_command_asks_for_what_it_lacks(tmp_path: Path) -> None:
    for typed in ({}, {"server": "big"}, {"server": str(tmp_path / "c.sock")}):
        with pytest.raises(NothingToJoin, match="to join takes --server HOST and --token TOKEN"):
            await join_once(a_config(tmp_path, **typed))


async def test_the_command_says_when_nobody_answers(tmp_path: Path, unused_tcp_port: int) -> None:
    config = a_config(
        tmp_path, server=f"127.0.0.1:{unused_tcp_port}", token=str(new_token("join", "b" * 52))
    )

    with pytest.raises(Unreachable, match=r"no controller answers at https://127.*check the add"):
        await join_once(config)


async def test_the_command_says_when_the_controller_can_not_now(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    newcomer.mishaps += [answers(503)]
    config = a_config(tmp_path, server=newcomer.url, token=str(await newcomer.house.token("join")))

    with pytest.raises(Unavailable, match="answered 503"):
        await join_once(config)


async def test_the_command_leaves_an_agent_that_works_alone(
    newcomer: Newcomer, tmp_path: Path
) -> None:
    config = a_config(tmp_path, server=newcomer.url, token=str(await newcomer.house.token("join")))

    with held_state_folder(config.state_dir), pytest.raises(StopItFirst, match="stop it first"):
        await join_once(config)
    assert newcomer.asked == []
