import click
import pytest

from eaas.cli.group import Command
from eaas.cli.line import Line, asks, prints
from eaas.client import Client
from tests.rig.stand_in import StandIn, a_job


@click.command(cls=Command)
@click.argument("id", type=int)
@asks
async def state(line: Line, client: Client, id: int) -> int | None:
    """Print a job's state."""
    line.out.text((await client.job(id)).state)
    return 3 if id == 2 else None


@click.command(cls=Command)
@prints
def place(line: Line) -> None:
    """Print where the line goes."""
    line.out.text(line.out.format)


def test_a_coroutine_gets_a_client_and_its_answer_is_the_exit_code(
    controller: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    controller.jobs.update({1: a_job(1), 2: a_job(2)})
    codes = [state.main(args=[id], standalone_mode=False) for id in ("1", "2")]

    assert codes == [None, 3]
    assert capsys.readouterr().out == "Pending\nPending\n"


def test_a_function_gets_only_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    place.main(args=["-o", "yaml"], standalone_mode=False)

    assert capsys.readouterr().out == "yaml\n"
