import io
import tarfile
from pathlib import Path

import pytest
from aiohttp import web

from eaas.client import Client
from eaas.errors import NotFound, TooLarge
from tests.rig.stand_in import StandIn


async def test_a_folder_is_uploaded_once_under_its_contents_name(
    client: Client, controller: StandIn, tmp_path: Path
) -> None:
    stored: dict[str, bytes] = {}

    async def pack(request: web.Request) -> web.StreamResponse:
        if request.method == "PUT":
            stored[request.path] = controller.asked[-1].body
        return web.Response(status=200 if request.path in stored else 404, content_type="x/x")

    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "a.py").write_text("print(1)")
    (folder / "out").symlink_to("/etc/passwd")
    from eaas.packs import packed

    with packed(folder) as expected:
        route = f"/api/v1/packs/{expected.hash}"
    for method in ("HEAD", "PUT"):
        controller.answers[f"{method} {route}"] = pack

    for _ in range(2):
        assert await client.upload_folder(folder) == (expected.hash, ("out",))
    assert [one.method for one in controller.asked] == ["HEAD", "PUT", "HEAD"]
    with tarfile.open(fileobj=io.BytesIO(stored[route])) as tar:
        assert tar.getnames() == ["a.py"]


async def test_a_download_arrives_piece_by_piece(client: Client, controller: StandIn) -> None:
    content = bytes(range(256)) * 4000

    async def files(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(content)
        return response

    controller.answers["GET /api/v1/jobs/1/files"] = files

    assert b"".join([piece async for piece in client.download(1, "out/a b")]) == content
    assert controller.asked[0].query == {"path": "out/a b"}


async def test_a_refused_download_raises_what_the_controller_said(
    client: Client, controller: StandIn
) -> None:
    controller.answers["GET /api/v1/jobs/1/files"] = TooLarge("too much")

    with pytest.raises(TooLarge):
        await anext(aiter(client.download(1, ".")))


async def test_a_pack_the_controller_lacks_is_no_error(client: Client, controller: StandIn) -> None:
    controller.answers["HEAD /api/v1/packs/sha256:00"] = NotFound("no")

    assert not await client.has_pack("sha256:00")
