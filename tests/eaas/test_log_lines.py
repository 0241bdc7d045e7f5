import io
import json
import logging

import pytest

from eaas.log_lines import LogFormat, begin_log, message_of

NASTY = "job \x1b[31mred\x1b[0m\n\u202e\x9b\udcff 作业 \U000e0001"


class Terminal(io.StringIO):
    """A stream that passes for a terminal."""

    def isatty(self) -> bool:
        return True


def logged(stream: io.StringIO, format: LogFormat, level: str = "info") -> list[str]:
    begin_log(level, format, stream)
    log = logging.getLogger("eaas.lamp")
    log.debug("low")
    log.info("%s burns", NASTY)
    try:
        raise ValueError("a\x1bb")
    except ValueError:
        log.exception("went out")
    return stream.getvalue().splitlines()


def test_elsewhere_than_on_a_terminal_every_record_is_one_json_object() -> None:
    first, second = map(json.loads, logged(io.StringIO(), "auto"))

    assert list(first) == ["time", "level", "logger", "message", "exc"]
    assert (first["level"], first["logger"], first["exc"]) == ("info", "eaas.lamp", None)
    assert first["message"] == f"{NASTY} burns"
    assert first["time"].endswith("Z")
    assert second["exc"].startswith("Traceback")
    assert second["exc"].endswith("ValueError: a\x1bb")


def test_a_json_line_has_nothing_that_a_terminal_obeys_but_stays_readable() -> None:
    line = logged(io.StringIO(), "json")[0]

    assert "作业" in line
    assert "\\u001b[31mred" in line
    assert "\\u202e\\u009b\\udcff" in line
    assert line.isprintable()


def test_on_a_terminal_it_is_time_level_and_words_without_escapes() -> None:
    first, *rest = logged(Terminal(), "auto")

    assert first[20:] == (r"info    job \x1b[31mred\x1b[0m\n\u202e\x9b\udcff 作业 \U000e0001 burns")
    assert rest[0][20:] == "error   went out"
    assert rest[1].startswith("Traceback")
    assert rest[-1] == r"ValueError: a\x1bb"


def test_level_and_format_can_be_set_again_and_each_record_is_written_once() -> None:
    logged(Terminal(), "json")
    lines = logged(io.StringIO(), "text", "debug")

    assert [line[20:23] for line in lines[:2]] == ["deb", "inf"]


@pytest.mark.parametrize("name", ["aiosqlite", "watchfiles.main", "asyncio", "aiohttp.access"])
def test_others_say_nothing_below_a_warning_whatever_is_asked_for(name: str) -> None:
    begin_log("debug", "json", io.StringIO())

    assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    assert logging.getLogger(name).isEnabledFor(logging.WARNING)


def test_a_line_of_either_kind_is_read_back_as_its_words() -> None:
    plain, failed = (message_of(line) for line in logged(io.StringIO(), "json"))

    assert plain == f"{NASTY} burns"
    assert failed.startswith("went out\nTraceback")
    assert message_of("usage: x") == "usage: x"
    assert message_of("[1]") == "[1]"
    assert message_of('{"a": 1}') == '{"a": 1}'


def test_without_a_stream_it_is_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    begin_log("info", "json")
    logging.getLogger("eaas.lamp").info("lit")

    assert '"lit"' in capsys.readouterr().err
