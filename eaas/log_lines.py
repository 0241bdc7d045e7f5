"""A program's own log: plain words on a terminal, one JSON object a line everywhere else."""

import json
import logging
import re
import sys
import time
from datetime import UTC, datetime
from typing import Final, Literal, TextIO

from eaas.safe_text import UNSAFE

LogFormat = Literal["auto", "text", "json"]
LOG_FORMATS: Final[tuple[LogFormat, ...]] = ("auto", "text", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")

OWN: Final = ("eaas", "eaas_daemon", "eaas_agent", "eaas_tui")
"""Whose loggers tell as much as is asked for; what others say below a warning helps nobody."""

_UNSAFE: Final = re.compile(UNSAFE)
_UNSAFE_BUT_LINES: Final = re.compile(rf"(?!\n){UNSAFE}")


class TextLines(logging.Formatter):
    """Time, level, words; whatever a terminal would obey is written as its escape."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, and a traceback below it if there is one."""
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
        line = f"{at} {record.levelname.lower():<7} {_UNSAFE.sub(_escape, record.getMessage())}"
        trace = _traceback(self, record)
        return line if trace is None else f"{line}\n{_UNSAFE_BUT_LINES.sub(_escape, trace)}"


class JsonLines(logging.Formatter):
    """``time``, ``level``, ``logger``, ``message``, and ``exc``: null, or a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {
            "time": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "exc": _traceback(self, record),
        }
        return _UNSAFE.sub(_escape_json, json.dumps(fields, ensure_ascii=False))


def begin_log(level: str, format: LogFormat, stream: TextIO | None = None) -> None:
    """Log to the stream (default: stderr) from now on, and nowhere else.

    ``auto`` is text on a terminal and JSON otherwise.
    """
    stream = sys.stderr if stream is None else stream
    as_text = format == "text" or (format == "auto" and stream.isatty())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextLines() if as_text else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(wanted, logging.WARNING))
    for name in OWN:
        logging.getLogger(name).setLevel(wanted)


def message_of(line: str) -> str:
    """Return what a line of a log says, whichever of the two kinds it is."""
    try:
        fields = json.loads(line)
        said, trace = str(fields["message"]), fields["exc"]
        return said if trace is None else f"{said}\n{trace}"
    except (ValueError, KeyError, TypeError):
        return line


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str | None:
    if not record.exc_info or record.exc_info == (None, None, None):
        return None
    return formatter.formatException(record.exc_info)


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def _escape_json(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]
