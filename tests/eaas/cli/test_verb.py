import click
import pytest

from eaas.cli.main import BOOK, CLI
from tests.eaas.cli.conftest import Type


def test_a_verb_does_something_by_itself_and_has_commands_below_it(typing: Type) -> None:
    for words in ((), ("--help",), ("-h",)):
        said = typing("book", *words)
        assert said.code == 0
        assert said.out.startswith("Usage: mini-eaas book [OPTIONS]")
        assert "--gpus N" in said.out
    assert "Usage: mini-eaas book cancel" in typing("book", "cancel", "--help").out


def test_options_of_every_command_may_stand_before_the_name_of_one_below(typing: Type) -> None:
    for words in (("-o", "json", "list"), ("--output=json", "list"), ("--server", "x:1", "list")):
        assert "Usage: mini-eaas book list" in typing("book", *words, "--help").out


def test_what_is_no_command_below_is_taken_for_the_verbs_own(typing: Type) -> None:
    said = typing("book", "lst")

    assert said.code == 2
    assert "mini-eaas book --help" in said.err


@pytest.mark.parametrize(("typed", "found"), [("ca", "cancel"), ("--gp", "--gpus")])
def test_both_the_names_below_and_its_own_options_are_completed(typed: str, found: str) -> None:
    ctx = BOOK.make_context("book", [], click.Context(CLI), resilient_parsing=True)

    assert found in [item.value for item in BOOK.shell_complete(ctx, typed)]
