import io

from eaas.cli.output import Facts, Table
from eaas.cli.terminal import STYLES, draw
from eaas.lifecycle import CardState, JobState, NodeState


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(block: Table | Facts) -> str:
    stream = Terminal()
    draw(block, stream)
    return stream.getvalue()


def test_every_state_has_a_colour() -> None:
    assert {*map(str, JobState), *map(str, NodeState), *map(str, CardState)} <= STYLES.keys()


def test_markup_in_a_name_is_a_name() -> None:
    assert "[bold red]x[/]" in drawn(Table(("NAME",), [("[bold red]x[/]",)]))
    assert ":smile:" in drawn(Facts([("name", ":smile:")]))


def test_what_is_unknown_is_a_dash_and_a_missing_fact_has_no_line() -> None:
    assert drawn(Table(("A", "B"), [("1", None)])).split()[-1] == "\x1b[2m-\x1b[0m"
    assert "gone" not in drawn(Facts([("gone", None), ("here", "x")]))
