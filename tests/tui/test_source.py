import pytest

from eaas_tui.app import ConsoleApp
from eaas_tui.arguments import Arguments
from eaas_tui.source import feed
from tests.rig.recordings import FOLDER


async def test_a_recording_is_followed_to_its_end_by_its_own_clock() -> None:
    app = ConsoleApp(Arguments(replay=FOLDER / "empty.jsonl"))

    async with app.run_test():
        await feed(app)

        assert app.store.picture.link.state == "replay"
        assert app.clock() < 2_000_000_000
        assert app.client is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (Arguments(server="ftp://host"), "ftp://host is no server"),
        (Arguments(replay=FOLDER / "nowhere.jsonl"), "cannot read"),
    ],
)
async def test_a_wrong_start_ends_the_console_with_a_sentence(
    arguments: Arguments, sentence: str
) -> None:
    app = ConsoleApp(arguments)

    async with app.run_test():
        await feed(app)

        assert app.failure is not None
        assert sentence in app.failure
        assert app.return_code == 2
