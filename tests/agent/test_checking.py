import json
from pathlib import Path

import pytest
import yaml

from eaas.client.address import Address
from eaas.tokens import Token, new_token
from eaas_agent.changes import Changes
from eaas_agent.checking import check_once
from eaas_agent.ledger import Ledger
from eaas_daemon.core import events as e
from tests.rig.agents import a_config
from tests.rig.builders import ADMIN
from tests.rig.newcomer import Newcomer


async def checked(
    newcomer: Newcomer, token: Token | None, url: str | None = None
) -> tuple[int, list[str], str]:
    """Check the way; return the exit code, the steps and the last line."""
    address = Address(url=url or newcomer.url, token=None if token is None else str(token))
    return await walked(newcomer.folder, address)


async def walked(folder: Path, address: Address) -> tuple[int, list[str], str]:
    said: list[str] = []
    config = a_config(folder, Path("/"), address=address)
    code = await check_once(config, said.append)
    return code, [" ".join(line.split()[:2]) for line in said], said[-1]


async def walked_all(folder: Path, address: Address) -> list[str]:
    said: list[str] = []
    await check_once(a_config(folder, Path("/"), address=address), said.append)
    return said


async def test_all_is_well_and_the_token_is_not_used_up(newcomer: Newcomer) -> None:
    token = await newcomer.house.token("join", uses=1)
    before = newcomer.house.state.credentials[token.id]

    for _ in range(2):
        code, steps, _ = await checked(newcomer, token)
        assert (code, steps) == (
            0,
            [f"{n} ok" for n in ["name", "port", "TLS", "token", "version", "clock"]],
        )

    assert newcomer.house.state.credentials[token.id] == before


async def test_a_program_reads_every_step_in_one_answer(newcomer: Newcomer) -> None:
    address = Address(url=newcomer.url, token=str(await newcomer.house.token("join")))
    config = a_config(newcomer.folder, Path("/"), address=address)
    said: list[str] = []

    code = await check_once(config, said.append, "json")
    await check_once(config, said.append, "yaml")

    answer = json.loads(said[0])
    assert (code, answer["next"], len(said)) == (0, None, 2)
    assert [(step["name"], step["ok"], step["advice"]) for step in answer["items"]][:2] == [
        ("name", True, None),
        ("port", True, None),
    ]
    assert [step["name"] for step in yaml.safe_load(said[1])["items"]] == [
        step["name"] for step in answer["items"]
    ]


async def test_a_node_that_has_joined_shows_what_it_was_given(newcomer: Newcomer) -> None:
    await newcomer.join(await newcomer.house.token("join"))

    code, steps, _ = await checked(newcomer, None)

    assert (code, len(steps)) == (0, 7)


async def test_a_node_that_obeys_a_later_copy_of_the_controller_is_told_of_both(
    newcomer: Newcomer,
) -> None:
    await newcomer.join(await newcomer.house.token("join"))
    state = newcomer.house.state
    changes = Changes()
    changes.meta.update(epoch="1", life="life-of-the-right-one", life_seq="17")
    with Ledger(newcomer.folder / "ledger.db") as ledger:
        await ledger.commit(changes)

    refused = await walked_all(newcomer.folder, Address(url=newcomer.url))
    state.lives = {"life-of-the-right-one": 17}
    taken = await walked_all(newcomer.folder, Address(url=newcomer.url))

    (line,) = [line for line in refused if line.startswith("controller")]
    assert "failed" in line
    assert "life ight-one (epoch 1, up to change 17)" in line
    assert f"this is life {state.life[-8:]}" in line
    assert [line.split()[:2] for line in taken if line.startswith("controller")] == [
        ["controller", "ok"]
    ]


async def test_a_token_of_another_controller_ends_the_walk_before_anything_secret_is_said(
    newcomer: Newcomer,
) -> None:
    code, steps, last = await checked(newcomer, new_token("join", "z" * 52))

    assert (code, steps) == (1, ["name ok", "port ok", "TLS failed"])
    assert "zzzzzzzzzzzz is the right one" in last


@pytest.mark.parametrize("wrong", ["unknown", "expired", "revoked", "used up", "a person's"])
async def test_a_token_that_lets_nobody_in_is_told_for_what_it_is(
    newcomer: Newcomer, wrong: str
) -> None:
    house = newcomer.house
    token = await house.token("join", expires_at=house.clock.at + 60, uses=1)
    if wrong == "unknown":
        token = new_token("join", token.ca)
    elif wrong == "expired":
        house.clock.at += 61
    elif wrong == "revoked":
        await house.engine.ask(e.RevokeToken(caller=ADMIN, id=token.id))
    elif wrong == "used up":
        await newcomer.join(token)
    else:
        token = await house.token("person", user="ann")

    address = Address(url=newcomer.url, token=str(token))
    said: list[str] = []
    code = await check_once(a_config(newcomer.folder, Path("/"), address=address), said.append)

    assert code == (2 if wrong == "a person's" else 1)
    line = said[3]
    assert line.startswith("token    failed ")
    means = {
        "unknown": "does not know this token",
        "expired": "expired at",
        "revoked": "was revoked by root",
        "used up": "has been used as often as it may be",
        "a person's": "is a person's",
    }[wrong]
    assert means in line
    assert line.endswith("On the controller's host: mini-eaas token create --role agent")
    assert token.secret not in "".join(said)


async def test_a_port_that_is_closed_is_the_last_step(
    newcomer: Newcomer, unused_tcp_port: int
) -> None:
    token = await newcomer.house.token("join")

    code, steps, last = await checked(newcomer, token, f"https://localhost:{unused_tcp_port}")

    assert (code, steps) == (69, ["name ok", "port failed"])
    assert "ss -ltn" in last


async def test_on_the_controllers_own_host_no_token_is_needed(newcomer: Newcomer) -> None:
    address = Address(socket=newcomer.house.parts.home / "real.sock")

    code, steps, _ = await walked(newcomer.folder, address)

    assert (code, steps) == (
        0,
        ["socket ok", "token ok", "version ok", "controller ok", "clock ok"],
    )


async def test_what_has_neither_joined_nor_a_token_is_told_how_to_get_one(
    newcomer: Newcomer,
) -> None:
    code, steps, last = await checked(newcomer, None)

    assert (code, steps[-1]) == (1, "TLS failed")
    assert "mini-eaas token create --role agent" in last
