"""How answers reach people and scripts: tables and facts, or the view itself as JSON or YAML."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, Final, TextIO

import msgspec

from eaas.safe_text import safe_text

_UNSAFE: Final = re.compile("[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What a terminal obeys or a reader can't see, outside of what JSON escapes by itself."""

GAP: Final = "  "


class Table(msgspec.Struct, frozen=True):
    """Rows under headings. A cell is a text, or None for what is unknown."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str | None]]
    when_empty: str = ""
    """Said on stderr, to a person only, when there is no row."""


class Facts(msgspec.Struct, frozen=True):
    """Names with what they are; None is left out."""

    pairs: Sequence[tuple[str, str | None]]


class Lines(msgspec.Struct, frozen=True):
    """Lines of text as they stand."""

    lines: Sequence[str]


Block = Table | Facts | Lines
Draw = Callable[[], Iterable[Block]]


class Output:
    """Prints one command's answer to stdout, and remarks for people to stderr."""

    def __init__(
        self, format: str, stdout: TextIO, stderr: TextIO, *, binary: BinaryIO | None = None
    ) -> None:
        self.format: Final = format
        self._stdout: Final = stdout
        self._stderr: Final = stderr
        self._binary: Final = binary

    @classmethod
    def to_streams(cls, format: str) -> "Output":
        """Return an output to this process's own streams."""
        return cls(format, sys.stdout, sys.stderr, binary=sys.stdout.buffer)

    @property
    def is_table(self) -> bool:
        """Tell whether the answer is meant for a person's eyes."""
        return self.format == "table"

    @property
    def is_terminal(self) -> bool:
        """Tell whether stdout is a terminal."""
        return self._stdout.isatty()

    def answer(self, view: Any, draw: Draw) -> None:
        """Print the view, or for people what ``draw`` makes of it."""
        if self.is_table:
            blocks = (it for it in draw() if not isinstance(it, Lines) or it.lines)
            for number, block in enumerate(blocks):
                if number:
                    self.text("")
                self._draw(block)
        elif self.format == "json":
            self.text(escaped(msgspec.json.format(msgspec.json.encode(view), indent=2).decode()))
        else:
            self.text(as_yaml(view), end="")

    def item(self, view: Any, draw: Callable[[], str]) -> None:
        """Print one item of a list that has no end: a line of text or of JSON."""
        if self.is_table:
            self.text(draw())
        elif self.format == "json":
            self.text(escaped(msgspec.json.encode(view).decode()))
        else:
            self.text("---\n" + as_yaml(view), end="")
        self._stdout.flush()

    def text(self, text: str, *, end: str = "\n") -> None:
        """Print text that is safe already."""
        self._stdout.write(text + end)

    def piece(self, text: str) -> None:
        """Print a piece of a log, at once."""
        self._stdout.write(text)
        self._stdout.flush()

    def bytes(self, data: bytes) -> None:
        """Print exactly these bytes, at once."""
        assert self._binary is not None, "stdout has no bytes below it"
        self._stdout.flush()
        self._binary.write(data)
        self._binary.flush()

    def remark(self, text: str) -> None:
        """Say something to the person beside the answer."""
        print(safe_text(text, keep_newlines=True), file=self._stderr, flush=True)

    def _draw(self, block: Block) -> None:
        if isinstance(block, Table) and not block.rows and block.when_empty:
            self.remark(block.when_empty)
        elif isinstance(block, Lines):
            self.text("\n".join(safe_text(line) for line in block.lines))
        elif self.is_terminal:
            _draw_rich(block, self._stdout)
        else:
            self.text("\n".join(plain(block)))


def plain(block: Table | Facts) -> list[str]:
    """Return the block as aligned lines."""
    rows: list[tuple[str, ...]]
    if isinstance(block, Facts):
        rows = [(f"{name}:", _cell(value)) for name, value in block.pairs if value is not None]
    else:
        rows = [block.columns, *(tuple(map(_cell, row)) for row in block.rows)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def escaped(json: str) -> str:
    """Return the JSON with what a terminal might obey written as escapes; it means the same."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json)


def as_yaml(view: Any) -> str:
    """Return the view as YAML; with anything unsafe in it, all but ASCII is written as escapes."""
    import yaml

    builtins = msgspec.to_builtins(view)
    text = str(yaml.safe_dump(builtins, sort_keys=False, allow_unicode=True, width=100))
    if _UNSAFE.search(text) is None:
        return text
    return str(yaml.safe_dump(builtins, sort_keys=False, allow_unicode=False, width=100))


def _cell(value: str | None) -> str:
    return "-" if value is None or value == "" else safe_text(value)


def _width(cell: str) -> int:
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def _draw_rich(block: Table | Facts, stream: TextIO) -> None:
    from eaas.cli.terminal import draw

    draw(block, stream)
