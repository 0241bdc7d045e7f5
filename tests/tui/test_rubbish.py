"""Full collections come while nobody presses a key, and only where there is something to find."""

import gc
from collections.abc import Iterator

import pytest

from eaas_tui import rubbish


@pytest.fixture
def kept() -> Iterator[None]:
    before = gc.get_threshold()
    gc.collect()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("kept")
def test_what_was_there_at_the_beginning_is_never_looked_at_again() -> None:
    gc.disable()
    rubbish.begin()

    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == rubbish.THRESHOLDS


@pytest.mark.usefixtures("kept")
def test_all_is_collected_after_a_rest_and_only_if_something_came() -> None:
    gc.disable()
    assert not rubbish.clear(60.0)

    gc.collect(1)
    assert not rubbish.clear(0.5)
    assert rubbish.clear(rubbish.REST_S)
    assert not rubbish.clear(60.0)
