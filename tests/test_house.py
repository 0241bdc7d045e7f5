"""The house rules a linter does not know: short functions, short files, a twin for every module."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]

TEST_FOLDERS: Final = {
    "eaas": "eaas",
    "eaas_daemon": "daemon",
    "eaas_agent": "agent",
    "eaas_tui": "tui",
}

MAX_FUNCTION_LINES: Final = 60
MAX_FILE_LINES: Final = 400
TRIVIAL_STATEMENTS: Final = 8
"""A module with fewer statements in its functions than this may go without a test of its own."""

DRAWERS: Final = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
UNFINISHED: Final = re.compile("|".join(["TO" + "DO", "FIX" + "ME", r"\bXX" + r"X\b"]))
TEXT_ENDINGS: Final = (".py", ".md", ".toml", ".sh", ".sql", ".tcss", ".yaml", "Makefile", "run")


def sources(*folders: str) -> list[Path]:
    """Return the Python files of these folders, as paths from the root."""
    return sorted(
        path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py")
    )


def texts() -> Iterator[Path]:
    """Yield every file a person wrote, in the shown folders and in ``.ci``."""
    for top in ROOT.iterdir():
        if top.name == ".ci" or not top.name.startswith("."):
            files = top.rglob("*") if top.is_dir() else [top]
            yield from (
                path for path in files if path.is_file() and path.name.endswith(TEXT_ENDINGS)
            )


PRODUCT: Final = sources(*TEST_FOLDERS)
EVERYTHING: Final = [*PRODUCT, *sources("tests", "bench", "docs")]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of the file, nested ones and methods too."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the function's length with its signature and docstring."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def statements(path: Path) -> int:
    """Count what the file's functions do: statements other than docstrings and ``...``."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for function in functions(path)
        for part in function.body
        for node in ast.walk(part)
    )


def twin(path: Path) -> Path:
    """Return where the tests of a module stand: ``eaas/ids.py`` -> ``tests/eaas/test_ids.py``."""
    folder = TEST_FOLDERS[path.parts[0]]
    return Path("tests", folder, *path.parts[1:-1], f"test_{path.name}")


@pytest.mark.parametrize("path", EVERYTHING, ids=str)
def test_no_function_is_longer_than_a_screen(path: Path) -> None:
    too_long = {
        function.name: lines_of(function)
        for function in functions(path)
        if lines_of(function) > MAX_FUNCTION_LINES
    }

    assert too_long == {}


@pytest.mark.parametrize("path", EVERYTHING, ids=str)
def test_no_file_is_longer_than_one_can_hold_in_mind(path: Path) -> None:
    assert len((ROOT / path).read_text().splitlines()) <= MAX_FILE_LINES


@pytest.mark.parametrize("path", PRODUCT, ids=str)
def test_every_module_that_does_something_has_tests_of_its_own(path: Path) -> None:
    if path.stem in ("__init__", "__main__") or statements(path) < TRIVIAL_STATEMENTS:
        return

    assert (ROOT / twin(path)).exists(), f"{twin(path)} is missing"


def test_every_folder_of_the_programs_is_a_package() -> None:
    without = {path.parent for path in PRODUCT if not (ROOT / path.parent / "__init__.py").exists()}

    assert without == set()


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {part.removesuffix(".py") for path in PRODUCT for part in path.parts}

    assert names & DRAWERS == set()


def test_nothing_is_left_unfinished() -> None:
    unfinished = [
        str(path.relative_to(ROOT)) for path in texts() if UNFINISHED.search(path.read_text())
    ]

    assert unfinished == []
