"""The preview fetches a log only for a job that stays selected, and follows it to its end."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from eaas.client import Address, Client
from eaas.errors import NotYours
from eaas.views import JobView
from eaas_tui.model.picture import EMPTY
from eaas_tui.widgets.job_preview import JobPreview
from eaas_tui.widgets.log_view import LogView
from eaas_tui.widgets.text_lines import TextLines
from tests.rig.pilots import until
from tests.rig.stand_in import StandIn, a_job, serving


class PreviewApp(App[None]):
    def __init__(self, client: Client | None) -> None:
        super().__init__()
        self.client = client

    def compose(self) -> ComposeResult:
        yield JobPreview(lambda: self.client)

    def show(self, job: JobView | None) -> None:
        self.query_one(JobPreview).show(job, EMPTY, 0.0)

    @property
    def facts(self) -> str:
        return self.query_one(TextLines).text()

    @property
    def tail(self) -> LogView:
        return self.query_one(LogView)


@pytest.fixture
def stand_in() -> StandIn:
    stand_in = StandIn()
    for id in range(1, 20):
        stand_in.logs[id, 1, "both"] = f"log of {id}\n".encode()
    return stand_in


@pytest.fixture
async def client(stand_in: StandIn, tmp_path: Path) -> AsyncIterator[Client]:
    socket = tmp_path / "c.sock"
    async with serving(stand_in, socket), Client(Address(socket=socket)) as client:
        yield client


async def test_running_through_a_list_shows_and_fetches_only_the_last(
    stand_in: StandIn, client: Client
) -> None:
    app = PreviewApp(client)
    async with app.run_test(size=(60, 12)) as pilot:
        app.show(a_job(1, "Succeeded"))
        await until(lambda: app.tail.pages.size, pilot)
        for id in range(2, 10):
            app.show(a_job(id, "Succeeded"))
            assert app.facts.startswith("#1 ")
        await until(lambda: app.facts.startswith("#9 ") and app.tail.pages.size, pilot)

        logs = [f"/api/v1/jobs/{id}/attempts/1/log" for id in (1, 9)]
        assert [asked.path for asked in stand_in.asked] == logs
        assert app.tail.render_line(0).text.strip() == "log of 9"


async def test_a_job_that_is_come_back_to_stays_shown_and_is_not_fetched_again(
    stand_in: StandIn, client: Client
) -> None:
    app = PreviewApp(client)
    async with app.run_test(size=(60, 12)) as pilot:
        app.show(a_job(1, "Running"))
        await until(lambda: app.tail.pages.size, pilot)
        app.show(a_job(2, "Running"))
        app.show(a_job(1, "Succeeded"))
        assert "Succeeded" in app.facts
        app.show(a_job(3, "Running"))
        await until(lambda: app.facts.startswith("#3 ") and app.tail.pages.size, pilot)

        logs = [f"/api/v1/jobs/{id}/attempts/1/log" for id in (1, 3)]
        assert [asked.path for asked in stand_in.asked] == logs


async def test_a_job_without_an_attempt_has_no_log_and_none_clears_it(client: Client) -> None:
    app = PreviewApp(client)
    async with app.run_test(size=(60, 12)) as pilot:
        app.show(a_job(1, "Succeeded"))
        await until(lambda: app.tail.pages.size, pilot)

        app.show(a_job(2))
        await until(lambda: app.facts.startswith("#2 "), pilot)
        assert app.tail.pages.size == 0

        app.show(None)
        assert app.facts == ""


async def test_a_refusal_stands_where_the_log_would_be(client: Client, stand_in: StandIn) -> None:
    stand_in.answers["GET /api/v1/jobs/3/attempts/1/log"] = NotYours("job 3 belongs to bob")
    app = PreviewApp(client)
    async with app.run_test(size=(60, 12)) as pilot:
        app.show(a_job(3, "Running"))
        await until(lambda: "belongs" in app.tail.render_line(0).text, pilot)


async def test_without_a_client_there_are_facts_and_no_log() -> None:
    app = PreviewApp(None)
    async with app.run_test(size=(60, 12)):
        app.show(a_job(3, "Running", name="three"))

        assert app.query_one(TextLines).text().startswith("#3 three")
