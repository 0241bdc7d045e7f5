"""A text in the few lines that its style leaves it; what has no room ends in a mark."""

from typing import Any

from textual.widgets import Static

from eaas_tui.model.text_lines import MIN_WIDTH, within


class FewLines(Static):
    """Shows a text in ``max-height`` lines at most."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self._whole = ""
        self._fitted = ""

    def say(self, text: str) -> None:
        """Show this text, which is safe for a terminal."""
        self._whole = text
        self._fit()

    def on_resize(self, _: Any) -> None:
        """Fit the text into its new room."""
        self._fit()

    def _fit(self) -> None:
        """Cut the text where there is not room for all of it; else its words are left alone."""
        text, width = self._whole, self.content_size.width
        if (most := self.styles.max_height) is not None and width >= MIN_WIDTH:
            lines = max(1, int(most.value))
            if len(within(text, width, len(text) + 1)) > lines:
                text = "\n".join(within(text, width, lines))
        if text != self._fitted:
            self._fitted = text
            self.update(text)
