import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from eaas_tui.later import FAR_AWAY, MODULES, Later, imported, standing_in
from tests.rig.recordings import FOLDER
from tests.rig.terminal import RealTerminal

SLOW = "a_slow_module"


@pytest.fixture(autouse=True)
def slow_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    text = "class Kept(list):\n    many = 3\ndef twice(n):\n    return 2 * n\n"
    (tmp_path / f"{SLOW}.py").write_text(text)
    (tmp_path / "taker.py").write_text(
        f"import {SLOW}\nfrom {SLOW} import Kept, twice\nclass Heir(Kept):\n    own = 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in (SLOW, "taker"):
        sys.modules.pop(name, None)


def test_a_module_is_imported_when_something_of_it_is_first_used() -> None:
    taker = imported("taker", later=[SLOW])

    assert SLOW not in sys.modules
    assert taker.twice(4) == 8
    assert sys.modules[SLOW].__file__ is not None
    assert taker.Kept.many == 3
    assert taker.Kept("ab") == ["a", "b"]
    assert getattr(taker, SLOW).twice(1) == 2


def test_a_name_that_there_is_not_is_the_same_mistake_as_ever() -> None:
    taker = imported("taker", later=[SLOW])
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        getattr(taker, SLOW).other()


def test_a_class_derived_from_what_comes_later_stands_for_itself() -> None:
    taker = imported("taker", later=[SLOW])

    assert taker.Heir.own == 1
    assert taker.Heir.__mro__ == (taker.Heir, object)
    assert SLOW not in sys.modules


def test_what_is_imported_already_stays_as_it_is() -> None:
    real = import_module(SLOW)
    with standing_in([SLOW]):
        assert import_module(SLOW) is real
    assert sys.modules[SLOW] is real


def test_what_the_block_imports_for_itself_stays() -> None:
    with standing_in([SLOW]):
        del sys.modules[SLOW]
        real = import_module(SLOW)
    assert sys.modules[SLOW] is real
    assert not isinstance(real.twice, Later)


def test_every_name_that_comes_later_is_a_module() -> None:
    for name in (*MODULES, *FAR_AWAY):
        import_module(name)


def test_the_palette_that_comes_later_finds_and_does(tmp_path: Path) -> None:
    environ = {**os.environ, "MINI_EAAS_HOME": str(tmp_path)}
    busy = str(FOLDER / "busy.jsonl")
    with RealTerminal.console("--replay", busy, environ=environ) as terminal:
        terminal.await_text("Mini EaaS", "node00")
        terminal.press("ctrl+p")
        terminal.await_text("Search for commands", ":node NODE")
        terminal.paste("quit")
        terminal.await_text(":quit")
        terminal.await_no_text(":node NODE")
        terminal.press("down", "enter")

        assert terminal.await_end() == 0
        assert terminal.is_sane
