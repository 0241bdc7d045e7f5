import subprocess
import sys

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.strip import Strip

from eaas_tui.strips import CACHES, OTHERS, is_known, make_lean
from tests.rig.program import ROOT


@pytest.fixture(autouse=True)
def _lean() -> None:
    make_lean()


def _weight(strip: Strip) -> int:
    """Return the bytes of the strip and of the caches that it has."""
    caches = [getattr(strip, name) for name in CACHES if _has(strip, name)]
    return sys.getsizeof(strip) + sum(
        sys.getsizeof(cache) + sys.getsizeof(cache._cache) for cache in caches
    )


def _has(strip: Strip, name: str) -> bool:
    try:
        object.__getattribute__(strip, name)
    except AttributeError:
        return False
    return True


def test_a_strip_has_no_cache_until_one_is_used() -> None:
    strip = Strip([Segment("one two")])
    assert not [name for name in CACHES if _has(strip, name)]
    assert _weight(strip) < 200

    assert strip.crop(4, 7) is strip.crop(4, 7)
    assert [name for name in CACHES if _has(strip, name)] == ["_crop_cache"]


def test_a_lean_strip_does_what_the_stock_one_does() -> None:
    segments = [Segment("one ", Style(bold=True)), Segment("two"), Segment(" three")]

    def done(strip: Strip) -> list[object]:
        return [
            *strip.divide([2, 6, strip.cell_length]),
            strip.crop(1, 5),
            strip.crop_extend(3, 30, Style(italic=True)),
            strip.adjust_cell_length(20),
            strip.apply_style(Style(underline=True)),
            strip.apply_offsets(2, 3),
            Strip.join([strip, strip]),
            strip.text,
            strip.cell_count,
            strip.link_ids,
        ]

    stock = Strip.__new__(Strip)
    for name, size in CACHES.items():
        setattr(stock, name, FIFOCache(size))
    stock._segments, stock._cell_length = list(segments), None
    stock._render_cache = stock._link_ids = stock._cell_count = None

    assert done(Strip(segments)) == done(stock)


def test_what_a_strip_never_has_is_no_cache() -> None:
    with pytest.raises(AttributeError, match="_other"):
        Strip([])._other  # type: ignore[attr-defined]  # noqa: B018


def test_the_strips_of_this_textual_are_known() -> None:
    assert is_known()
    assert set(Strip.__slots__) == {*CACHES, *OTHERS}


def test_a_console_makes_them_lean() -> None:
    line = "from tests.rig.consoles import a_console; from textual.strip import Strip; a_console()"
    code = f"{line}; print(Strip.__init__.__module__)"
    said = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT)

    assert said == "eaas_tui.strips\n"
