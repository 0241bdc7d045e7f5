from pathlib import Path

import pytest

from eaas_tui.arguments import Arguments, parsed


def test_without_options_everything_is_as_usual() -> None:
    assert parsed([]) == Arguments()


def test_every_option_is_understood() -> None:
    line = ["--view-only", "--record", "a.jsonl", "--theme", "light", "--ascii", "--no-mouse"]

    assert parsed([*line, "--slow", "--server", "http://h:1", "--token", "t"]) == Arguments(
        view_only=True,
        record=Path("a.jsonl"),
        theme="light",
        ascii=True,
        mouse=False,
        slow=True,
        server="http://h:1",
        token="t",
    )


def test_a_slow_link_gets_the_colours_that_cost_least_unless_others_are_asked_for() -> None:
    assert parsed(["--slow"]).theme == "ansi16"
    assert parsed(["--slow", "--theme", "dark"]).theme == "dark"


@pytest.mark.parametrize("line", ["--theme pink", "--record a --replay b", "--view", "extra"])
def test_a_mistake_ends_it_with_the_usage(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(line.split())

    assert ended.value.code == 2
    assert "usage: eaas-tui" in capsys.readouterr().err
