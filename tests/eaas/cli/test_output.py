import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from eaas.cli.output import Facts, Lines, Output, Table, escaped, plain
from eaas.views import JobView
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn, a_job

HOSTILE = "a\x1b]52;c;ZXZpbA==\x07b\x9b31mc\u202ed\u200be\nf"


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "json", "job", "list"),
        ("job", "-o", "json", "list"),
        ("job", "list", "-o", "json"),
        ("job", "list", "-ojson", "--all"),
        ("job", "list", "--output=json"),
        ("-o", "yaml", "job", "list", "-o", "json"),
    ],
)
def test_the_output_format_is_taken_anywhere_on_the_line(
    typing: Type, controller: StandIn, words: tuple[str, ...]
) -> None:
    controller.jobs[1] = a_job(1)
    said = typing(*words)

    assert json.loads(said.out) == {"items": [as_json(a_job(1))], "next": None}
    assert said.err == ""


def test_json_and_yaml_are_the_view_unchanged(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1, name="größe\x9b\u202e", spec={"env": {"A": "1"}})
    view = as_json(controller.jobs[1])
    in_json, in_yaml = (typing("job", "show", "1", "-o", kind) for kind in ("json", "yaml"))

    assert json.loads(in_json.out) == yaml.safe_load(in_yaml.out) == view
    assert list(json.loads(in_json.out)) == list(view)
    assert "\x9b" not in in_json.out + in_yaml.out
    assert "\u202e" not in in_json.out + in_yaml.out


def test_escaping_changes_no_meaning() -> None:
    text = json.dumps("\x7f\x9b\u202e\u200b\ufeff", ensure_ascii=False)

    assert json.loads(escaped(text)) == json.loads(text)
    assert escaped(text).isascii()


def test_a_piped_table_is_plain_aligned_text() -> None:
    table = Table(("ID", "NAME"), [("1", "a"), ("1000", "名字 x"), ("2", None)])

    assert plain(table) == ["ID    NAME", "1     a", "1000  名字 x", "2     -"]
    assert plain(Facts([("state", "Ready"), ("pool", None), ("a", "b")])) == [
        "state:  Ready",
        "a:      b",
    ]


def test_wide_characters_are_as_wide_as_they_are_shown() -> None:
    assert plain(Table(("A", "B"), [("名字", "x"), ("abc", "y")])) == [
        "A     B",
        "名字  x",
        "abc   y",
    ]


def test_what_people_typed_is_harmless_in_a_table(typing: Type, controller: StandIn) -> None:
    controller.jobs[1] = a_job(1, name=HOSTILE, user="\x1b[2Jeve")
    out = typing("job", "list").out

    assert "abcde f" in out
    assert "eve" in out
    assert out.replace("\n", "").isprintable()


def test_an_empty_list_is_empty_and_says_so_beside_it(typing: Type, controller: StandIn) -> None:
    said = typing("job", "list")

    assert (said.code, said.out) == (0, "")
    assert "no jobs here" in said.err


def test_what_has_no_lines_leaves_no_gap() -> None:
    stream = io.StringIO()
    out = Output("table", stream, io.StringIO())
    out.answer(None, lambda: [Lines(["above"]), Lines([]), Lines(["below"]), Lines([])])

    assert stream.getvalue() == "above\n\nbelow\n"


def test_one_item_of_an_endless_list_is_one_line_of_json() -> None:
    stream = io.StringIO()
    out = Output("json", stream, io.StringIO())
    for number in range(2):
        out.item({"n": number}, lambda: "")

    assert stream.getvalue() == '{"n":0}\n{"n":1}\n'


def test_nothing_hostile_reaches_a_real_terminal(controller: StandIn, home: Path) -> None:
    controller.jobs[1] = a_job(1, "Running", name=HOSTILE)
    controller.logs[1, 1, "both"] = HOSTILE.encode() + b"\x9b31m\xff end\n"
    shown = on_a_terminal("job", "list") + on_a_terminal("job", "logs", "1")
    colours_gone = shown.replace("\x1b[32m", "").replace("\x1b[0m", "")
    for code in ("1", "2", "33", "36"):
        colours_gone = colours_gone.replace(f"\x1b[{code}m", "")

    assert "Running" in shown
    assert "end" in shown
    assert not {"\x1b", "\x9b", "\x07", "\u202e", "\u200b"} & set(colours_gone)


def as_json(view: JobView) -> dict[str, Any]:
    return dict(json.loads(msgspec.json.encode(view)))


def on_a_terminal(*words: str) -> str:
    """Return what ``mini-eaas`` writes to a terminal of 200 columns."""
    ours, theirs = pty.openpty()
    program = Path(sys.executable).with_name("mini-eaas")
    environ = {**os.environ, "COLUMNS": "200", "TERM": "xterm-256color"}
    with subprocess.Popen([program, *words], stdout=theirs, stderr=theirs, env=environ) as process:
        os.close(theirs)
        content = b""
        try:
            while piece := os.read(ours, 65536):
                content += piece
        except OSError:
            pass  # Linux says EIO when the other end of a terminal is closed
        assert process.wait(20) == 0
    os.close(ours)
    return content.decode()
