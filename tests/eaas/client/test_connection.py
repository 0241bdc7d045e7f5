from pathlib import Path

import pytest
from aiohttp import web

from eaas.client import Address, Client, NotUnderstood
from eaas.client.trust import NotTheController
from eaas.errors import (
    EaasError,
    FieldError,
    Forbidden,
    Invalid,
    NeverFits,
    Unauthenticated,
    Unreachable,
)
from eaas.problem import MEDIA_TYPE
from eaas.tokens import new_token
from eaas_daemon.core.events import RevokeToken
from tests.daemon.api.served import TOKEN, a_controller, a_house
from tests.rig.builders import ADMIN
from tests.rig.impostor import CA_PEM, an_impostor
from tests.rig.stand_in import StandIn, a_job


async def test_where_nobody_listens_the_error_says_what_to_type(tmp_path: Path) -> None:
    async with Client(Address(socket=tmp_path / "no.sock")) as client:
        with pytest.raises(Unreachable) as refusal:
            await client.status()
    assert refusal.value.sentence == (
        f"no controller answers at {tmp_path}/no.sock (no such file or directory); mini-eaas up "
        "starts a pool on this machine; --server URL names another one"
    )
    async with Client(Address(url="http://127.0.0.1:1")) as client:
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 \(connection refused\); check the"):
            await client.status()


@pytest.mark.parametrize(
    "error",
    [
        NeverFits("no card of pool p holds 80GiB"),
        Invalid((FieldError(field="gpus", message="gpus: no", suggestion="1"),), "wrong"),
        Unauthenticated("who are you?"),
    ],
)
async def test_a_refusal_arrives_as_the_error_the_controller_raised(
    client: Client, controller: StandIn, error: EaasError
) -> None:
    controller.answers["GET /api/v1/jobs/7"] = error

    with pytest.raises(type(error)) as refusal:
        await client.job(7)
    assert refusal.value.sentence == error.sentence
    assert getattr(refusal.value, "errors", ()) == getattr(error, "errors", ())


async def nested(_: web.Request) -> web.StreamResponse:
    """Answer with more levels than can be read."""
    return web.Response(text='{"id":' + "[" * 5000, content_type="application/json")


async def half(_: web.Request) -> web.StreamResponse:
    """Answer with what is no JSON to its end."""
    return web.Response(text='{"id":', content_type="application/json")


@pytest.mark.parametrize("answer", [{"id": "seven"}, nested, half])
async def test_what_is_no_view_is_not_understood(
    client: Client, controller: StandIn, answer: object
) -> None:
    controller.answers["GET /api/v1/jobs/7"] = answer

    with pytest.raises(NotUnderstood, match="does not understand"):
        await client.job(7)


@pytest.mark.parametrize("answer", [nested, half])
async def test_an_answer_that_need_only_be_there_is_not_understood_either(
    client: Client, controller: StandIn, answer: object
) -> None:
    controller.answers["DELETE /api/v1/nodes/n1"] = answer

    with pytest.raises(NotUnderstood, match="answered DELETE /api/v1/nodes/n1 in a way"):
        await client.forget_node("n1")


async def test_a_refusal_that_cannot_be_read_is_quoted(client: Client, controller: StandIn) -> None:
    async def refuse(_: web.Request) -> web.StreamResponse:
        return web.Response(status=409, text="[" * 5000, content_type=MEDIA_TYPE)

    controller.answers["GET /api/v1/jobs/7"] = refuse

    with pytest.raises(NotUnderstood, match=r"answered 409: \[\[\["):
        await client.job(7)


async def test_an_error_that_is_no_problem_object_is_quoted(
    client: Client, controller: StandIn
) -> None:
    async def proxy(_: web.Request) -> web.StreamResponse:
        return web.Response(status=502, text="bad gateway")

    controller.answers["GET /api/v1/jobs/7"] = proxy

    with pytest.raises(NotUnderstood, match="answered 502: bad gateway"):
        await client.job(7)


async def test_nobody_is_sent_elsewhere_without_a_word(
    client: Client, controller: StandIn, tmp_path: Path
) -> None:
    async with an_impostor(tmp_path / "ca") as impostor:

        async def away(_: web.Request) -> web.StreamResponse:
            raise web.HTTPTemporaryRedirect(impostor.url)

        controller.answers["POST /api/v1/jobs"] = away
        with pytest.raises(NotUnderstood, match="answered 307: 307: Temporary Redirect"):
            await client.submit({"command": "true"})

        assert impostor.heard == b""


async def test_a_refused_stream_says_whose_fault_it_is(client: Client, controller: StandIn) -> None:
    controller.answers["GET /api/v1/stream"] = Forbidden("no")

    with pytest.raises(Forbidden, match=r"^no$"):
        await anext(client.stream())


async def test_a_stream_that_a_revocation_ended_says_whose_it_was(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house, a_controller(house) as served:
        token = await house.token(user="ann")
        async with Client(Address(url=served.address, token=str(token))) as client:
            frames = client.stream()
            await anext(frames)
            await house.engine.ask(RevokeToken(caller=ADMIN, id=token.id))

            with pytest.raises(Unauthenticated, match=f"token {token.id} was revoked by root"):
                async for _ in frames:
                    pass


async def test_a_token_does_not_go_over_the_socket(controller: StandIn, socket: Path) -> None:
    seen: list[str | None] = []

    async def note(request: web.Request) -> web.StreamResponse:
        seen.append(request.headers.get("Authorization"))
        return web.json_response({"items": [], "next": None})

    controller.answers["GET /api/v1/pools"] = note
    async with Client(Address(socket=socket, token="secret")) as client:
        await client.pools()

    assert seen == [None]  # there the kernel says who asks


async def test_a_token_goes_along_on_this_machine_without_tls(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house, a_controller(house) as served:
        async with Client(Address(url=served.address, token=TOKEN)) as client:
            assert (await client.status()).role == "admin"
        async with Client(Address(url=served.address)) as client:
            with pytest.raises(Unauthenticated, match="say who you are"):
                await client.status()


async def test_a_token_that_names_the_authority_is_enough_to_believe_it(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house, a_controller(house, tls=True) as served:
        address = Address(url=served.address, token=str(await house.token(user="ann")))
        async with Client(address) as client:
            assert (await client.status()).user == "ann"
            stream = client.stream()
            await anext(stream)
            await stream.aclose()


async def test_a_token_of_another_authority_stays_here(tmp_path: Path) -> None:
    token = new_token("person", "b" * 52)
    async with an_impostor(tmp_path / "ca") as impostor:
        async with Client(Address(url=impostor.url, token=str(token))) as client:
            with pytest.raises(NotTheController, match="Nothing secret was sent"):
                await client.submit({"command": "secret"})
            with pytest.raises(NotTheController):
                await anext(client.stream())

        assert impostor.asked == [CA_PEM, CA_PEM]
        assert not impostor.knows(token)
        assert b"secret" not in impostor.heard


async def test_who_answers_under_another_authority_than_the_known_one_hears_nothing(
    tmp_path: Path,
) -> None:
    async with an_impostor(tmp_path / "true") as real:
        known = real.pem.decode()
    token = new_token("person", "b" * 52)
    async with an_impostor(tmp_path / "ca") as impostor:
        async with Client(Address(url=impostor.url, token=str(token), ca=known)) as client:
            with pytest.raises(NotTheController, match="can't prove that it is the controller"):
                await client.status()

        assert impostor.heard == b""


async def test_whom_this_machine_does_not_know_is_not_believed_without_a_token(
    tmp_path: Path,
) -> None:
    async with an_impostor(tmp_path / "ca") as impostor:
        async with Client(Address(url=impostor.url)) as client:
            with pytest.raises(NotTheController, match=r"certificate in certificate chain.*log in"):
                await client.status()

        assert impostor.heard == b""


async def test_a_name_can_not_reach_into_another_route(client: Client, controller: StandIn) -> None:
    with pytest.raises(EaasError):
        await client.pool("../jobs/1?x=")

    assert controller.asked[0].path == "/api/v1/pools/../jobs/1?x="
    assert controller.asked[0].query == {}


async def test_unknown_keys_of_a_newer_controller_are_no_trouble(
    client: Client, controller: StandIn
) -> None:
    import msgspec

    controller.answers["GET /api/v1/jobs/1"] = {**msgspec.to_builtins(a_job(1)), "newer": 1}

    assert await client.job(1) == a_job(1)
