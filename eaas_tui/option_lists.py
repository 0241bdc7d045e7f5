"""Textual's lists of options, mended for terminals that leave them no room.

Without room a list knows no line of any option, and Textual 8.2.8 looks one up for every page up
or down. It makes some of its lists itself, those of the palette and of a form's choices: so the
class of all of them is mended, not one of our own.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


def mend_option_lists() -> None:
    """Let a page up or down in a list without room do nothing."""
    from textual.widgets import OptionList  # only here: the first screen has none

    stock = OptionList._move_page
    if stock.__module__ == __name__:
        return

    def move_page(self: OptionList, direction: Any) -> None:
        if self._lines and (self.highlighted or 0) in self._index_to_line:
            stock(self, direction)

    OptionList._move_page = move_page  # type: ignore[method-assign]
