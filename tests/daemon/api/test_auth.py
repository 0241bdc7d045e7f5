import asyncio
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import aiohttp
import msgspec
import pytest
from msgspec.structs import replace

from eaas.client.trust import context_for
from eaas_daemon.api.kernel_word import user_name
from eaas_daemon.core import events as e
from tests.daemon.api.outside import Outside, from_outside
from tests.daemon.api.served import TOKEN, House, a_controller, a_house
from tests.rig.builders import ADMIN

NOBODY = 65534


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("curl") is None,
    reason="needs root, to become somebody else, and curl",
)
async def test_another_user_of_this_host_is_a_member_and_may_not_speak_for_a_node() -> None:
    with tempfile.TemporaryDirectory(prefix="eaas-") as folder:
        os.chmod(folder, 0o755)
        async with a_house(Path(folder)) as house, a_controller(house):
            view = await curl(house, "/api/v1/status")
            refused = await curl(house, "/agent/v1/link")

    assert (view["user"], view["role"]) == (user_name(NOBODY), "member")
    assert refused["code"] == "forbidden"


async def curl(house: House, path: str) -> Any:
    """Ask as nobody."""
    command = [
        "curl",
        "-sS",
        "--unix-socket",
        str(house.parts.home / "real.sock"),
        f"http://c{path}",
    ]
    done = await asyncio.to_thread(
        subprocess.run, command, user=NOBODY, capture_output=True, timeout=10, check=True
    )
    return msgspec.json.decode(done.stdout)


PERSONS, AGENTS = "/api/v1/status", f"/agent/v1/packs/sha256:{'0' * 64}"
"""A route of people, and one of nodes (where there is no such pack)."""


async def every_kind(outside: Outside) -> dict[str, object]:
    """Return a token of each kind there is, good and bad."""
    house = outside.house
    soon = house.clock.at + 1
    tokens: dict[str, object] = {
        "none": None,
        "not a token": "swordfish",
        "unknown": outside.token("person"),
        "viewer": await outside.person("viewer"),
        "member": await outside.person("member"),
        "admin": await outside.person("admin"),
        "join": await outside.join_token(),
        "node": await outside.node(),
        "expired": await outside.person(expires_at=soon),
        "expired join": await outside.join_token(expires_at=soon),
        "used up": (once := await outside.join_token(uses=1)),
        "revoked": (revoked := await outside.person()),
        "revoked node": (shut_out := await outside.node("n2")),
    }
    for id in (revoked.id, shut_out.id):
        await house.engine.ask(e.RevokeToken(caller=ADMIN, id=id))
    body = {"node": "n3", "node_uid": "uid-n3"}
    assert (await outside.ask("POST", "/agent/v1/join", body, token=once))[0] == 201
    right = await outside.person("admin")
    tokens["wrong secret"] = replace(right, secret=outside.token("person").secret)
    tokens["typo"] = f"{str(right)[:-1]}{'a' if str(right)[-1] != 'a' else 'b'}"
    tokens["other controller"] = replace(outside.token("person"), ca="a" * 52)
    house.clock.at += 1
    return tokens


EXPECTED: Final = {
    "none": (401, 401),
    "not a token": (401, 401),
    "unknown": (401, 401),
    "viewer": (200, 403),
    "member": (200, 403),
    "admin": (200, 403),
    "join": (403, 403),
    "node": (403, 404),
    "expired": (401, 401),
    "expired join": (401, 401),
    "used up": (401, 401),
    "revoked": (401, 401),
    "revoked node": (401, 401),
    "wrong secret": (401, 401),
    "typo": (401, 401),
    "other controller": (401, 401),
}


async def test_each_kind_of_token_opens_what_it_is_for_and_nothing_else(house: House) -> None:
    async with from_outside(house) as outside:
        tokens = await every_kind(outside)
        found = {}
        for kind, token in tokens.items():
            house.clock.at += 60  # wrong ones come slowly enough
            answers = [await outside.ask("GET", path, token=token) for path in (PERSONS, AGENTS)]
            found[kind] = tuple(status for status, _ in answers)
            assert token is None or str(token) not in str(answers)

    assert found == EXPECTED


async def test_a_token_carries_its_users_word_and_its_first_use_is_noted(house: House) -> None:
    async with from_outside(house) as outside:
        token = await outside.person("viewer", "vera")
        _, view = await outside.ask("GET", PERSONS, token=token)
        await house.tick()

    kept = house.state.credentials[token.id]
    assert (view["user"], view["role"]) == ("vera", "viewer")
    assert (kept.used_at, kept.used_from) == (house.clock.at, "127.0.0.1")


async def test_after_ten_wrong_tokens_in_a_minute_more_are_too_many_and_a_right_one_gets_in(
    house: House,
) -> None:
    async with from_outside(house) as outside:
        right = await outside.person()
        guesses = [outside.token("person") for _ in range(11)]
        found = [(await outside.ask("GET", PERSONS, token=each))[0] for each in guesses]
        let_in, _ = await outside.ask("GET", PERSONS, token=right)
        house.clock.at += 60
        later, _ = await outside.ask("GET", PERSONS, token=guesses[0])

    assert found == [*[401] * 10, 429]
    assert (let_in, later) == (200, 401)


async def test_who_comes_without_a_token_guesses_nothing(house: House) -> None:
    async with from_outside(house) as outside:
        found = {(await outside.ask("GET", PERSONS))[0] for _ in range(15)}

    assert found == {401}


@pytest.mark.parametrize("path", [PERSONS, AGENTS])
@pytest.mark.parametrize("origin", ["http://localhost", "https://pool.example", "null"])
async def test_a_web_page_is_not_talked_to_whatever_it_has(
    house: House, path: str, origin: str
) -> None:
    async with from_outside(house) as outside:
        token = await outside.person("admin")
        status, problem = await outside.ask("GET", path, token=token, Origin=origin)
        scraped, _ = await outside.ask("GET", "/metrics", Origin=origin)

    assert (status, problem["code"], scraped) == (403, "forbidden", 403)


async def test_without_tls_a_name_that_leads_to_loopback_is_not_this_host(house: House) -> None:
    async with from_outside(house) as outside:
        token = await outside.person()
        names = ("localhost:1", "127.0.0.1", "[::1]:7470", "evil.example", "10.0.0.1:7470")
        found = [(await outside.ask("GET", PERSONS, token=token, Host=name))[0] for name in names]

    assert found == [200, 200, 200, 403, 403]


async def test_with_tls_the_certificate_proves_the_host_and_any_name_will_do(
    house: House,
) -> None:
    connector = aiohttp.TCPConnector(ssl=context_for(house.parts.authority.pem.decode()))
    async with (
        a_controller(house, tls=True) as served,
        aiohttp.ClientSession(connector=connector) as http,
    ):
        headers = {"Authorization": f"Bearer {TOKEN}", "Host": "pool.example"}
        async with http.get(f"{served.address}{PERSONS}", headers=headers) as response:
            view = await response.json()

    assert served.address.startswith("https://127.0.0.1:")
    assert view["role"] == "admin"


async def test_a_viewer_looks_and_tries_out_and_changes_nothing(house: House) -> None:
    await house.pool()
    job = {"image": "busybox"}
    async with from_outside(house) as outside:
        token = await outside.person("viewer", "ann")
        found = [
            (await outside.ask(method, f"/api/v1/{path}", body, token=token))[0]
            for method, path, body in (
                ("GET", "jobs", None),
                ("POST", "jobs:dry-run", job),
                ("POST", "jobs", job),
                ("POST", "jobs:batch", {"jobs": [job]}),
                ("POST", "tokens", {"role": "viewer"}),
                ("POST", f"tokens/{token.id}/revoke", None),
            )
        ]

    assert found == [200, 200, 403, 403, 403, 403]
    assert house.state.jobs == {}
