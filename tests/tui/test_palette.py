from textual.command import CommandPalette

from eaas_tui.palette import ConsoleCommands
from eaas_tui.screens.jobs import JobsScreen
from tests.rig.consoles import a_console
from tests.rig.pilots import until


async def test_the_palette_finds_commands_and_keys_by_any_word() -> None:
    app = a_console()
    async with app.run_test():
        provider = ConsoleCommands(app.screen)
        found = [hit.text async for hit in provider.search("queue")]

        assert "pause or resume the queue" not in found
        assert {":queue QUEUE [pause|resume]", ":move JOB QUEUE"} <= set(found)

        app.may = frozenset({"look", "act", "admin"})
        found = [hit.text async for hit in provider.search("queue")]
        assert "pause or resume the queue" in found


async def test_the_palette_offers_everything_at_first() -> None:
    app = a_console()
    async with app.run_test():
        offered = [hit async for hit in ConsoleCommands(app.screen).discover()]

        assert len(offered) > 20


async def test_a_command_of_the_palette_is_carried_out() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+p")
        assert CommandPalette.is_open(app)  # type: ignore[arg-type]
        await pilot.press("escape")
        async for hit in ConsoleCommands(app.screen).discover():
            if hit.text == ":jobs FILTER":
                hit.command()

        await until(lambda: isinstance(app.screen, JobsScreen), pilot)


async def test_over_the_form_the_palette_offers_its_keys_and_nothing_that_would_lose_it() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        app.open_submit()
        await pilot.pause()
        offered = [hit.help async for hit in ConsoleCommands(app.screen).discover()]

    assert {"key ctrl+s", "key ctrl+e", "key ctrl+o", "key ctrl+t"} <= set(offered)
    assert not [help for help in offered if not str(help).startswith("key ")]
