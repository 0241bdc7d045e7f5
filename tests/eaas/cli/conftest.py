import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from eaas.cli.main import run
from tests.rig.stand_in import StandIn, served_apart


class Said(msgspec.Struct, frozen=True):
    """How a command line ended, and what it printed."""

    code: int
    out: str
    err: str


Type = Callable[..., Said]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of the test's own."""
    for name in [name for name in os.environ if name.startswith("MINI_EAAS_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("MINI_EAAS_HOME", str(home))
    return home


@pytest.fixture
def controller(home: Path) -> Iterator[StandIn]:
    """A stand-in that serves canned views on the installation's socket."""
    stand_in = StandIn()
    with served_apart(stand_in, home / "controller.sock"):
        yield stand_in


@pytest.fixture
def typing(capsys: pytest.CaptureFixture[str]) -> Type:
    """Type a command line, word by word, and return what it said."""

    def type_words(*words: str) -> Said:
        code = run(list(words))
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return type_words
