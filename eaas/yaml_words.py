"""What a YAML parser's complaint means, in the words of somebody who writes job files."""

import re
from collections.abc import Sequence
from typing import Final

import yaml

from eaas.errors import FieldError
from eaas.spelling import shown

LINE_END: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""Where YAML 1.1, and so the parser's line count, sees a line end."""

_TAB_INDENT: Final = re.compile(r" *\t")
_LONE_KEY: Final = re.compile(r"\s*[^\s:]*")

_AT_OPENING: Final = (
    ("found unexpected end of stream", "the quote that opens here is never closed"),
    ("found unexpected document indicator", "the quote that opens here is never closed"),
    ("did not find expected ',' or ']'", "the [ that opens here lacks its ], or a comma inside"),
    ("did not find expected ',' or '}'", "the { that opens here lacks its }, or a comma inside"),
    ("could not find expected ':'", "this line is no `key: value`"),
)
_AT_PROBLEM: Final = (
    ("block sequence entries", "a list begins on its own line: put the - on the next one"),
    ("expected '-' indicator", "this line is no item of the list above: begin it with -"),
    ("expected node content", "a value is missing here"),
    ("unknown escape", "\\ means something else in double quotes: write \\\\, or single quotes"),
    ("escape code", "\\u in double quotes needs the number of one whole character"),
    ("alphabetic or numeric", "a value that begins with & or * must be in quotes"),
    ("nesting depth", "this is nested too deep"),
    ("directive", "a line that begins with % is an instruction to YAML, and none is known here"),
)


def syntax_mistake(
    error: yaml.MarkedYAMLError, lines: Sequence[str], *, lines_before: int = 0
) -> FieldError:
    """Return the parser's error as one mistake at the place where a person would look.

    ``lines`` are those the parser saw; ``lines_before`` stand above them in the file.
    """
    line, column, message, suggestion = _explained(error, lines)
    return FieldError(
        field="",
        message=message,
        line=line + lines_before + 1,
        column=column + 1,
        suggestion=suggestion,
    )


def _explained(
    error: yaml.MarkedYAMLError, lines: Sequence[str]
) -> tuple[int, int, str, str | None]:
    """Return line and column from 0, the sentence, and what would be right."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark is not None else (0, 0)
    text = lines[line] if line < len(lines) else ""
    problem = error.problem or "no reason given"
    if tab := _TAB_INDENT.match(text):
        return line, tab.end() - 1, "this line is indented with a tab: use blanks", None
    if "mapping values are not allowed" in problem:
        return line, column, _stray_colon(lines, line, column), None
    if "cannot start any token" in problem:
        rest = text[column:].strip()
        message = f"a value that begins with {shown(rest[:1])} must be in quotes"
        return line, column, message, f'"{rest}"' if '"' not in rest and "\\" not in rest else None
    if "did not find expected key" in problem:
        return line, column, _stray_text(text, column), None
    for words, message in _AT_OPENING:
        if words in problem:
            opening = error.context_mark or mark
            place = (opening.line, opening.column) if opening is not None else (0, 0)
            return *place, message, None
    message = next((m for words, m in _AT_PROBLEM if words in problem), "")
    return line, column, message or f"this is not YAML: {problem}", None


def _stray_colon(lines: Sequence[str], line: int, column: int) -> str:
    if _LONE_KEY.fullmatch(lines[line][:column]) is None:
        return "a value with a colon and a blank inside must be in quotes"
    above = next((text for text in reversed(lines[:line]) if text.strip()), "")
    if ":" in above:
        return "this line is indented too deep: the line above already has its value"
    return "the line above is no `key: value`"


def _stray_text(text: str, column: int) -> str:
    if text[:column].strip():
        return "something stands after the closing quote; inside '...' a ' is written twice"
    return "the indentation of this line fits none of the lines above"
