import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from eaas.cli.group import Entry, Group
from eaas.cli.main import CLI, run
from tests.eaas.cli.conftest import Type
from tests.rig.costs import costing, of_children_s

PROGRAM = Path(sys.executable).with_name("mini-eaas")


def entries(group: Group) -> Iterator[tuple[str, Entry]]:
    for name, entry in group.entries.items():
        if isinstance(entry, Group):
            yield from ((f"{name} {inner}", one) for inner, one in entries(entry))
        else:
            yield name, entry


LEAVES = dict(entries(CLI))


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_loads_and_says_what_the_list_says_of_it(name: str) -> None:
    command = LEAVES[name].load()

    assert isinstance(command, click.Command)
    assert (command.help or "").partition("\n")[0] == LEAVES[name].help


@pytest.mark.parametrize("name", LEAVES)
def test_no_argument_has_the_name_of_an_option_and_takes_its_place(name: str) -> None:
    with click.Context(LEAVES[name].load()) as ctx:
        names = [parameter.name for parameter in ctx.command.get_params(ctx)]

    assert len(set(names)) == len(names)


def test_help_takes_less_than_200_ms_of_a_processor() -> None:
    with costing(of_children_s) as cost:
        for _ in range(3):
            subprocess.run([PROGRAM, "--help"], check=True, stdout=subprocess.DEVNULL)

    assert cost.s / 3 < 0.2


def test_help_imports_neither_the_client_nor_the_job_file() -> None:
    code = (
        "import sys; from eaas.cli.main import run; run(['--help']); sys.exit(repr({*sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = ast.literal_eval(run.stderr)

    assert not loaded & {"aiohttp", "asyncio", "rich", "yaml", "eaas.client", "eaas.job_fields"}


def test_the_help_lists_every_command(typing: Type) -> None:
    said = typing("--help")

    assert said.code == 0
    for name, entry in CLI.entries.items():
        assert (f"  {name} " in said.out) is not entry.hidden


def test_an_unknown_command_is_a_usage_error_with_a_suggestion(typing: Type) -> None:
    said = typing("jbo", "list")

    assert (said.code, said.out) == (2, "")
    assert "there is no command 'jbo'; did you mean job?" in said.err


def test_a_reader_that_leaves_early_is_no_error() -> None:
    line = f"{PROGRAM} schema job | head -c 5 > /dev/null; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True)

    assert (run.stdout, run.stderr) == ("0\n", "")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"mini-eaas {version('mini-eaas')}\n"


def ends(stdout: str, environ: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Run ``completion bash`` with this shell redirection; return code, stdout and stderr."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" completion bash {stdout}', PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, **(environ or {})},
    )
    return done.returncode, done.stdout, done.stderr


def test_a_full_disk_under_stdout_is_said_in_a_sentence() -> None:
    assert ends(">/dev/full") == (1, "", "can't write: no space left on device\n")


def test_a_closed_stdout_is_nowhere() -> None:
    assert ends(">&-") == (0, "", "")


def test_a_reader_that_leaves_is_no_error() -> None:
    assert ends("| true")[2] == ""


def test_text_that_the_locale_cannot_express_is_no_error() -> None:
    show = "import sys; from eaas.cli.main import run; run(['--version']); print('h\u00e9')"
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}

    done = subprocess.run([sys.executable, "-c", show], capture_output=True, env=environ)

    assert done.stdout.endswith(b"h?\n")
