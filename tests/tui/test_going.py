from eaas_tui.screens.events import EventsScreen
from eaas_tui.screens.jobs import JobsScreen
from eaas_tui.screens.overview import OverviewScreen
from tests.rig.consoles import a_console
from tests.rig.pictures import a_node, a_picture


async def test_the_digits_go_from_view_to_view_and_q_comes_back_before_it_leaves() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        assert isinstance(app.screen, OverviewScreen)
        await pilot.press("2")
        assert isinstance(app.screen, JobsScreen)
        await pilot.press("4")
        assert isinstance(app.screen, EventsScreen)
        await pilot.press("q")
        assert isinstance(app.screen, OverviewScreen)
        assert app._exit is False
        await pilot.press("q")
        assert app._exit is True


async def test_3_goes_to_the_node_looked_at_last_until_another_is_selected() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        app.picture = a_picture(*(a_node(name) for name in "abc"))
        await pilot.pause()
        nodes = []
        for keys in (
            ("3", "greater_than_sign"),
            ("q", "2", "3"),
            ("q", "1", "3"),
            ("q", "j", "j", "3"),
        ):
            await pilot.press(*keys)
            await pilot.pause()
            nodes.append(app.screen.facts()["node"])  # type: ignore[attr-defined]

        assert nodes == ["b", "b", "b", "c"]


async def test_escape_closes_but_never_leaves() -> None:
    app = a_console()
    async with app.run_test() as pilot:
        await pilot.press("2", "escape", "escape", "escape")

        assert isinstance(app.screen, OverviewScreen)
        assert app._exit is False
