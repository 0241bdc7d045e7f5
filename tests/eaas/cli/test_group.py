import click
import pytest

from eaas.cli.group import OUTPUT_KEY, Entry, Group, NumbersCommand
from tests.eaas.cli.conftest import Type


@click.command(cls=NumbersCommand)
@click.argument("number", type=int)
@click.pass_context
def shout(ctx: click.Context, number: int) -> None:
    """Say a number."""
    click.echo(f"{number} {ctx.meta.get(OUTPUT_KEY)}")


TREE = Group(
    "tree",
    "A tree.",
    {
        "inner": Group("inner", "Inside.", {"shout": Entry(f"{__name__}:shout", "Say a number.")}),
        "own": Entry(f"{__name__}:shout", "For programs.", hidden=True),
        "missing": Entry("eaas.no_such_module:nothing", "Never imported by a list."),
    },
)


def say(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    TREE.main(args=list(words), prog_name="tree", standalone_mode=False)
    return capsys.readouterr().out


def test_a_list_of_commands_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Never imported by a list." in say(capsys, "--help")


def test_the_innermost_output_format_wins(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("-o", "yaml", "inner", "-o", "table", "shout", "-5", "-o", "json")

    assert say(capsys, *line) == "-5 json\n"
    assert say(capsys, "-o", "yaml", "inner", "shout", "-o", "table", "-5") == "-5 table\n"
    assert say(capsys, "inner", "shout", "3") == "3 None\n"


def test_a_wrong_format_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.BadParameter):
        say(capsys, "inner", "shout", "3", "-o", "xml")


def test_an_unknown_command_is_told_with_the_nearest_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(click.UsageError, match="no command 'iner'; did you mean inner"):
        say(capsys, "iner")


def test_help_has_its_short_name_everywhere(typing: Type) -> None:
    for words in ([], ["job"], ["job", "submit"]):
        assert typing(*words, "-h") == typing(*words, "--help")


def test_a_hidden_command_works_and_no_list_or_suggestion_names_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert say(capsys, "own", "3") == "3 None\n"
    assert "For programs." not in say(capsys, "--help")
    with pytest.raises(click.UsageError) as refused:
        say(capsys, "owm")
    assert "own" not in refused.value.message
