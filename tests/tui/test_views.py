import pytest

from eaas_tui.screens.base import PictureScreen
from eaas_tui.views import BASES, PLACES, MissingScreen, made, screen_class


@pytest.mark.parametrize("name", PLACES)
def test_every_view_is_in_this_version_and_knows_its_name(name: str) -> None:
    kind = screen_class(name)

    assert kind is not None
    assert issubclass(kind, PictureScreen)
    assert kind.view_name == name


def test_a_view_that_is_not_in_this_version_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eaas_tui.views.PLACES", {"maps": "eaas_tui.screens.maps:MapsScreen"})

    assert isinstance(made("maps"), MissingScreen)


def test_the_views_that_are_always_there_need_nothing_to_be_made() -> None:
    assert all(isinstance(made(name), PictureScreen) for name in BASES)
