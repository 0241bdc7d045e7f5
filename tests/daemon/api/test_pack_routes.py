import hashlib
from pathlib import Path

from eaas.client import Client
from eaas.packs import packed
from tests.daemon.api.served import House, real_door

CONTENT = b"tar" * 100_000
HEX = hashlib.sha256(CONTENT).hexdigest()


async def test_what_people_put_in_agents_take_out(house: House) -> None:
    before = await house.ask("HEAD", f"/api/v1/packs/sha256:{HEX}")
    first = await house.ask("PUT", f"/api/v1/packs/sha256:{HEX}", CONTENT)
    again = await house.ask("PUT", f"/api/v1/packs/sha256:{HEX}", CONTENT)
    after = await house.ask("HEAD", f"/api/v1/packs/sha256:{HEX}")
    fetched = await house.ask("GET", f"/agent/v1/packs/{HEX}", user="root")

    assert [before[0], first[0], again[0], after[0]] == [404, 201, 200, 200]
    assert fetched == (200, CONTENT)


async def test_a_pack_that_is_not_what_it_says_is_refused(house: House) -> None:
    status, problem = await house.ask("PUT", f"/api/v1/packs/sha256:{HEX}", b"else")

    assert (status, problem["code"]) == (422, "wrong_pack")


async def test_the_client_library_uploads_a_folder(house: House, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "train.py").write_text("print('hi')\n")
    async with real_door(house) as address, Client(address) as client:
        name, _ = await client.upload_folder(folder)
        assert await client.has_pack(name)

    with packed(folder) as pack:
        assert house.parts.packs.found(name).read_bytes() == pack.path.read_bytes()
