from pathlib import Path

import pytest

from eaas.field_checks import Truth
from eaas.settings.command_line import Typed, Verb, parse
from eaas.settings.keys import Key
from eaas.settings.layers import WrongSettings, settle
from tests.eaas.settings.keys import KEYS


def parsed(*argv: str) -> Typed:
    return parse(argv, KEYS, name="eaas-lamp", program="lamp", about="A lamp.")


def test_every_key_that_has_a_metavar_is_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert parsed("run") == Typed(verb="run")
    assert parsed("config", "--port", "8", "--place", "x/../y", "--config", "f") == Typed(
        verb="config", config=Path("f"), values={"port": 8, "place": str(tmp_path / "y")}
    )


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "required: COMMAND"),
        (["walk"], "invalid choice: 'walk'"),
        (["run", "--port"], "argument --port: expected one argument"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_a_sentence(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(*argv)

    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_every_mistake_in_the_options_is_told_at_once() -> None:
    typed = parsed(
        *("run", "--port", "x", "--level", "x", "--place", "~nobody-like-this/x"),
        *("--labels", "x", "--por", "1", "stray"),
    )

    with pytest.raises(WrongSettings) as refused:
        settle("lamp", KEYS, file=None, environ={}, typed=typed.values, unknown=typed.unknown)

    assert [line.partition(", not")[0] for line in refused.value.sentence.splitlines()] == [
        "--port: must be a whole number from 0 to 65535",
        "--level: must be low or high",
        "--place: names a home that isn't known: '~nobody-like-this/x'",
        "--labels: is set in the settings file or by its variable only",
        "--por: there is no such option; did you mean --port?",
        "'stray': is no option",
    ]


def test_a_truth_is_a_flag_without_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    keys = (Key(name="open_door", check=Truth(), about="no lock", metavar="", default=False),)

    def typed(*argv: str) -> Typed:
        return parse(argv, keys, name="eaas-lamp", program="lamp", about="A lamp.")

    assert typed("run", "--open-door").values == {"open_door": True}
    assert typed("run").values == {}
    with pytest.raises(SystemExit):
        typed("run", "--open-door=no")
    assert "ignored explicit argument 'no'" in capsys.readouterr().err


def test_a_verb_of_one_program_is_a_verb_of_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    more: dict[Verb, str] = {"join": "become one of many"}
    typed = parse(
        ["join", "--port", "8"], KEYS, name="lamp", program="lamp", about="A lamp.", more=more
    )

    assert typed == Typed(verb="join", values={"port": 8})
    with pytest.raises(SystemExit):
        parsed("join")
    assert "invalid choice: 'join'" in capsys.readouterr().err


def test_help_tells_of_signals_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed("run", "--help")
    said = " ".join(capsys.readouterr().out.split())

    assert ended.value.code == 0
    assert "--level low|high" in said
    assert "variable MINI_EAAS_LAMP_KEY" in said
    assert "SIGHUP reads the settings again" in said
    assert "2 the command line, a setting or a token is wrong" in said
