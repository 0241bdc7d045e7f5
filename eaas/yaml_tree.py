"""YAML as job files use it: plain values with their places, and nothing that surprises.

The parser's events are read directly. There are no tags, anchors, aliases or merge keys,
a key comes once, and text stays text unless it is plainly a number, true, false or null:
``yes``, ``08:30``, ``0755`` and dates are what they look like. A number is taken as one
only if it would be written back the same, so it can still pass for the text it was.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import yaml

from eaas.errors import FieldError
from eaas.field_checks import Mistake, Path
from eaas.spelling import shown
from eaas.yaml_words import LINE_END, syntax_mistake

MAX_DEPTH: Final = 20

Place = tuple[int, int]
"""Line and column, from 1."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_TRUTHS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}")


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """One document: its value, where everything in it stands, and what is wrong with it."""

    value: object
    line: int
    """Where its content begins."""
    broken: bool = False
    """The parser gave up inside; the value is not to be used."""
    key_places: Mapping[Path, Place] = {}
    value_places: Mapping[Path, Place] = {}
    mistakes: tuple[tuple[Mistake, Place], ...] = ()
    syntax: FieldError | None = None

    def locate(self, path: Path, /, *, key: bool = False) -> Place | None:
        """Return where the value or the key stands, or the nearest thing around it."""
        places = self.key_places if key else self.value_places
        while path not in places and path:
            path, places = path[:-1], self.value_places
        return places.get(path)


def read_trees(text: str) -> Iterator[Tree]:
    """Yield every document of the text.

    After one that can't be parsed, reading goes on at the next line that begins with
    ``---``, so that the mistakes of the others are found as well.
    """
    lines = LINE_END.split(text)
    first = 0
    while first < len(lines):
        rest = lines[first:]
        builder = _Builder(yaml.parse("\n".join(rest), Loader=_LOADER), lines_before=first)
        try:
            yield from builder.trees()
            return
        except yaml.MarkedYAMLError as error:
            syntax = syntax_mistake(error, rest, lines_before=first)
            mark = error.problem_mark or error.context_mark
            reached = first + (mark.line if mark is not None else len(rest))
        except _TooDeepError as error:
            syntax = error.mistake
            reached = error.mistake.line or len(lines)
        yield builder.broken(syntax)
        first = _next_document(lines, max(reached, first + 1))


def _next_document(lines: list[str], start: int) -> int:
    return next((i for i in range(start, len(lines)) if lines[i].startswith("---")), len(lines))


class _TooDeepError(Exception):
    def __init__(self, place: Place) -> None:
        message = f"this is nested more than {MAX_DEPTH} levels deep"
        self.mistake: Final = FieldError(field="", message=message, line=place[0], column=place[1])
        super().__init__(message)


class _Builder:
    """Makes values of the parser's events, one document after the other."""

    def __init__(self, events: Iterator[Any], *, lines_before: int) -> None:
        self._events = events
        self._lines_before = lines_before
        self._start()

    def trees(self) -> Iterator[Tree]:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._start()
                root = next(self._events)
                self._line = self._place(root)[0]
                tree = self._tree(self._value(root, ()))
                next(self._events)  # the document's end, or the error that hides there
                self._start()
                yield tree

    def broken(self, syntax: FieldError) -> Tree:
        """Return what was found of a document up to the error that ended it."""
        return msgspec.structs.replace(self._tree(None), broken=True, syntax=syntax)

    def _start(self) -> None:
        self._keys: dict[Path, Place] = {}
        self._values: dict[Path, Place] = {}
        self._mistakes: list[tuple[Mistake, Place]] = []
        self._line = self._lines_before + 1

    def _tree(self, value: object) -> Tree:
        return Tree(
            value=value,
            line=self._line,
            key_places=self._keys,
            value_places=self._values,
            mistakes=tuple(self._mistakes),
        )

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return mark.line + self._lines_before + 1, mark.column + 1

    def _wrong(self, event: Any, path: Path, message: str, suggestion: str | None = None) -> None:
        self._mistakes.append((Mistake(message, suggestion, path), self._place(event)))

    def _value(self, event: Any, path: Path) -> object:
        self._values[path] = self._place(event)
        if len(path) >= MAX_DEPTH and isinstance(event, yaml.CollectionStartEvent):
            raise _TooDeepError(self._place(event))
        if isinstance(event, yaml.AliasEvent):
            self._wrong(event, path, "references don't exist here", f'"*{event.anchor}"')
            return None
        self._refuse_marks(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        return _plain_value(event.value) if event.implicit[0] else event.value

    def _refuse_marks(self, event: Any, path: Path) -> None:
        if event.anchor is not None:
            self._wrong(event, path, f"leave out &{event.anchor}: anchors don't exist here")
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._wrong(event, path, f"leave out {shown(tag)}: tags don't exist here")

    def _sequence(self, path: Path) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, object]:
        mapping: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, path)
            value = next(self._events)
            if key is None:
                self._skip(value)
                continue
            self._keys[*path, key] = self._place(event)
            mapping[key] = self._value(value, (*path, key))
        return mapping

    def _key(self, event: Any, path: Path) -> str | None:
        """Return the key, or None after noting why it can't be one."""
        if not isinstance(event, yaml.ScalarEvent):
            self._wrong(event, path, "a key must be text")
            self._skip(event)
            return None
        key = str(event.value)
        inner = (*path, key)
        self._refuse_marks(event, inner)
        if key == "<<":
            self._wrong(event, inner, "write the keys out: merging doesn't exist here")
        elif (first := self._keys.get(inner)) is not None:
            self._wrong(event, inner, f"is there already, in line {first[0]}")
        else:
            return key
        return None

    def _skip(self, event: Any) -> None:
        """Pass over the value that this event begins, however deep."""
        depth = int(isinstance(event, yaml.CollectionStartEvent))
        while depth:
            event = next(self._events)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)


def _plain_value(text: str) -> object:
    """Return what unquoted text stands for."""
    if text in _NULLS:
        return None
    if (truth := _TRUTHS.get(text)) is not None:
        return truth
    if _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text
