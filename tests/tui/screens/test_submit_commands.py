from pathlib import Path

from textual.command import DiscoveryHit, Hit
from textual.style import Style

from eaas_tui.screens.submit_commands import COMMANDS, FormCommands
from tests.rig.form import the_form


async def test_the_palette_finds_what_the_form_can_do(socket: Path, tmp_path: Path) -> None:
    async with the_form(socket, tmp_path) as person:
        provider = FormCommands(person.screen, Style())
        provider._post_init()
        offered = [hit async for hit in provider.discover()]
        found = [hit async for hit in provider.search("yaml")]

        assert [hit.display for hit in offered if isinstance(hit, DiscoveryHit)] == [
            name for name, _ in COMMANDS.values()
        ]
        assert [hit.command for hit in found if isinstance(hit, Hit)] == [person.screen.action_edit]
