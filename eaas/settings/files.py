"""Which settings file a program reads, and whether that file may decide anything."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from eaas.errors import FieldError, Invalid, Mistyped
from eaas.paths import whole_path
from eaas.yaml_tree import Tree, read_trees

SYSTEM_FOLDER: Final = Path("/etc/mini-eaas")
MAX_BYTES: Final = 64 * 1024


class NotTrusted(Mistyped):
    """A file that anybody could have written decides nothing, least of all who runs what."""

    code = "config_not_trusted"


def candidates(
    program: str,
    environ: Mapping[str, str],
    *,
    is_root: bool | None = None,
    system: Path = SYSTEM_FOLDER,
) -> list[Path]:
    """Return where a program's file may lie, the first that exists being the one.

    An installation with a home of its own has it there and nowhere else. A person's own file
    comes before the machine's; root has only the machine's, whoever's ``HOME`` it was given.
    """
    name = f"{program}.yaml"
    if home := environ.get("MINI_EAAS_HOME"):
        return [whole_path(home) / name]
    if os.geteuid() == 0 if is_root is None else is_root:
        return [system / name]
    import platformdirs  # only here: most installations have a home or belong to root

    return [Path(platformdirs.user_config_path("mini-eaas")) / name, system / name]


def settings_file(program: str, environ: Mapping[str, str]) -> Path | None:
    """Return the program's settings file, None where there is none."""
    found = candidates(program, environ)
    return next((path for path in found if os.path.lexists(path)), None)


def read_settings(path: Path) -> Tree:
    """Return the file's one document; raise ``NotTrusted``, or ``Invalid`` naming the file."""
    text = _text(path)
    trees = [tree for tree in read_trees(text) if tree.value is not None or tree.broken]
    if len(trees) > 1:
        raise _wrong(f"{path}:{trees[1].line}:1: a settings file is one document, without ---")
    if not trees:
        return Tree(value={}, line=1)
    [tree] = trees
    if tree.syntax is not None:
        error = tree.syntax
        raise _wrong(f"{path}:{error.line}:{error.column}: {error.message}", error.suggestion)
    if not isinstance(tree.value, dict):
        raise _wrong(f"{path}:{tree.line}:1: write `key: value` lines")
    return tree


def _text(path: Path) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise _wrong(f"{path} can't be read: it is no plain file")
            _refuse_anybodys(path, found)
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        write_one = isinstance(error, FileNotFoundError)
        advice = "; write it (config/ has examples that set nothing), or leave out --config"
        why = f"{error.strerror}{advice if write_one else ''}"
        raise _wrong(f"{path} can't be read: {why}") from error
    if len(data) > MAX_BYTES:
        raise _wrong(f"{path} is larger than {MAX_BYTES >> 10} KiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _wrong(f"{path}:{line}: this is not UTF-8: save the file as UTF-8") from None


def _refuse_anybodys(path: Path, found: os.stat_result) -> None:
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NotTrusted(
            f"{path} must belong to root or to the user the program runs as, and only its owner "
            "may write it: chown root and chmod go-w"
        )


def _wrong(message: str, suggestion: str | None = None) -> Invalid:
    return Invalid((FieldError(field="", message=message, suggestion=suggestion),))
