"""One value for every key: the default, else the file's, the environment's, the command line's."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from eaas.errors import FieldError, Invalid, Mistyped
from eaas.field_checks import Mistake, Wrong, below, wrong
from eaas.job_spec import field_error
from eaas.problem import mistake_text
from eaas.settings.files import read_settings
from eaas.settings.keys import Key, prefix
from eaas.spelling import nearest, shown
from eaas.yaml_tree import Tree, read_trees

DEFAULT: Final = "default"
COMPUTED: Final = "computed"
"""Nobody set it, and what is in force depends on the machine."""


class WrongSettings(Invalid, Mistyped):
    """Settings have mistakes; every one of them is listed with its place."""


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One key's value and where it came from."""

    value: Any
    """Checked; None for what was left out and has no default."""
    source: str
    """``default``, ``/etc/mini-eaas/agent.yaml:3``, ``$MINI_EAAS_AGENT_NAME`` or ``--name``."""


class Settings:
    """Every key's value."""

    def __init__(self, by_name: Mapping[str, Setting], file: Path | None) -> None:
        self.by_name: Final = by_name
        self.file: Final = file
        """The file that was read."""

    def __getitem__(self, name: str) -> Any:
        """Return the key's checked value."""
        return self.by_name[name].value


def settle(
    program: str,
    keys: Sequence[Key],
    *,
    file: Path | None,
    environ: Mapping[str, str],
    typed: Mapping[str, object],
    unknown: Sequence[str] = (),
) -> Settings:
    """Return all settings; ``typed`` is what stands on the command line, None for what does not.

    ``unknown`` are words there that mean nothing.

    Raises ``WrongSettings`` with every mistake at its place: file, line and column, variable or
    option.
    """
    layers = _Layers({key.name: key for key in keys})
    for name, key in layers.keys.items():
        layers.found[name] = Setting(
            value=None if key.default is None else key.check.read(key.default),
            source=DEFAULT,
        )
    if file is not None:
        layers.take_file(file)
    layers.take_environment(program, environ)
    for name, value in typed.items():
        if value is not None:
            key = layers.keys[name]
            layers.take(key, value, place=key.option)
    layers.note_unknown(unknown)
    layers.refuse_mistakes()
    return Settings(layers.found, file)


class _Layers:
    """The settings found so far, layer upon layer, and every mistake met on the way."""

    def __init__(self, keys: Mapping[str, Key]) -> None:
        self.keys: Final = keys
        self.found: Final[dict[str, Setting]] = {}
        self._errors: Final[list[FieldError]] = []

    def take(self, key: Key, value: object, *, place: str) -> None:
        """Take a value that stands at a place without lines."""
        try:
            self._settle(key, value, source=place)
        except Wrong as error:
            for mistake in error.mistakes:
                self._note(mistake, f"{place}: ")

    def take_environment(self, program: str, environ: Mapping[str, str]) -> None:
        """Take what variables say; an empty one says nothing."""
        own = {key.variable(program): key for key in self.keys.values()}
        for key in self.keys.values():
            for name in (*reversed(key.variables), key.variable(program)):
                if text := environ.get(name):
                    self._take_variable(key, text, place=f"${name}")
        for name in sorted(environ):
            if name.startswith(prefix(program)) and name not in own and environ[name]:
                near = nearest(name, own)
                self._note(Mistake("there is no such variable", near), f"${name}: ")

    def take_file(self, path: Path) -> None:
        """Take what the file says."""
        tree = read_settings(path)
        assert isinstance(tree.value, dict), "read_settings sees to that"
        mistakes = [mistake for mistake, _ in tree.mistakes]
        broken = {mistake.path[:1] for mistake in mistakes}
        for name, value in tree.value.items():
            line, _ = tree.locate((name,), key=True) or (tree.line, 1)
            try:
                key = self._key(name)
                if (name,) not in broken:
                    self._settle(key, value, source=f"{path}:{line}")
            except Wrong as error:
                mistakes += below(name, error.mistakes)
        placed = [(tree.locate(m.path, key=m.on_key) or (tree.line, 1), m) for m in mistakes]
        for (line, column), mistake in sorted(placed, key=lambda found: found[0]):
            self._note(mistake, f"{path}:{line}:{column}: ")

    def note_unknown(self, words: Sequence[str]) -> None:
        """Note the options that there are not; a word behind one belongs to it."""
        before = ""
        for word in words:
            if word.startswith("-"):
                option = word.partition("=")[0]
                self._note(self._no_option(option), f"{option}: ")
            elif not before.startswith("-"):
                self._note(Mistake("is no option"), f"{shown(word)}: ")
            before = word

    def _no_option(self, option: str) -> Mistake:
        if any(key.option == option for key in self.keys.values()):
            return Mistake("is set in the settings file or by its variable only")
        options = [key.option for key in self.keys.values() if key.metavar is not None]
        return Mistake("there is no such option", nearest(option, options))

    def refuse_mistakes(self) -> None:
        """Raise ``Invalid`` if there was any mistake."""
        if self._errors:
            raise WrongSettings(tuple(self._errors), "\n".join(map(mistake_text, self._errors)))

    def _settle(self, key: Key, value: object, *, source: str) -> None:
        if value is None:
            raise wrong("has no value: write one, or leave the key out")
        self.found[key.name] = Setting(value=_read(key, value), source=source)

    def _take_variable(self, key: Key, text: str, *, place: str) -> None:
        tree = Tree(value=text, line=1)
        if key.structured:
            tree = next(iter(read_trees(text)), tree)
        mistakes = [mistake for mistake, _ in tree.mistakes]
        if tree.syntax is not None:
            mistakes.append(Mistake(tree.syntax.message))
        for mistake in mistakes:
            self._note(mistake, f"{place}: ")
        if not mistakes:
            self.take(key, tree.value, place=place)

    def _key(self, name: str) -> Key:
        key = self.keys.get(name)
        if key is None:
            near = nearest(name, self._in_files())
            others = "" if near else f"; there are {', '.join(self._in_files())}"
            raise Wrong(Mistake(f"there is no such key{others}", near, on_key=True))
        if key.secret:
            raise Wrong(Mistake("must not stand in a file that others may read", on_key=True))
        return key

    def _in_files(self) -> Iterator[str]:
        return (name for name, key in self.keys.items() if not key.secret)

    def _note(self, mistake: Mistake, place: str) -> None:
        error = field_error(mistake)
        self._errors.append(msgspec.structs.replace(error, message=place + error.message))


def _read(key: Key, value: object) -> object:
    """Return the value as the program has it; what is wrong with a secret never repeats it."""
    try:
        return key.check.read(value)
    except Wrong:
        if not key.secret:
            raise
        raise wrong("is not whole: copy all of it once more, without blanks in it") from None
