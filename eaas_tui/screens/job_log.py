"""The log of a job on its screen: followed, searched, copied and saved."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from eaas.errors import EaasError
from eaas.paths import whole_path
from eaas.safe_text import safe_text
from eaas_tui.clipboard import copy
from eaas_tui.log_source import LogClient, LogSource
from eaas_tui.model.job_page import bytes_words
from eaas_tui.model.log_pages import LogPages
from eaas_tui.screens.ask_path import AskPath
from eaas_tui.screens.log_following import LogFollowing
from eaas_tui.widgets.ansi import parse_line, plain_text
from eaas_tui.widgets.prompt import History, Prompt

COPY_BYTES: Final = 100_000
"""Terminals take no more than about this into the clipboard at once."""


class LogPane(LogFollowing):
    """Searches the log that is shown, and takes it away."""

    BINDINGS: ClassVar = [("escape", "end_search")]

    def __init__(self, client: Callable[[], LogClient | None], *, id: str | None = None) -> None:
        super().__init__(client, id=id)
        self._words = ""
        self._found = ""
        """Which of the hits is shown, in words."""
        self._hit: int | None = None
        self._history: Final = History()

    def begins_anew(self) -> None:
        """Forget the hit: it was in another log."""
        self._hit = None
        self._found = ""

    # --- searching

    def ask_words(self) -> None:
        """Open the line to type in what is searched for."""
        if not self.query(Prompt):
            prompt = Prompt(placeholder="search the log", history=self._history)
            self.mount(prompt)
            prompt.focus()

    def on_prompt_left(self, event: Prompt.Left) -> None:
        """Close the line; what was searched for before is forgotten."""
        event.stop()
        event.prompt.remove()
        self.action_end_search()

    def on_prompt_taken(self, event: Prompt.Taken) -> None:
        """Search from what is in sight on."""
        event.stop()
        self._words = event.line
        self._hit, self._found = None, ""
        event.prompt.remove()
        self._mark_words()
        self.seek(backwards=self.view.follow)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave ``escape`` to others while nothing is searched for."""
        return action != "end_search" or bool(self._words)

    def action_end_search(self) -> None:
        """Forget what was searched for; the log stays where it is."""
        self._words = self._found = ""
        self._hit = None
        self._mark_words()
        self._tell()

    def _mark_words(self) -> None:
        self.view.focus()
        self.view.words = self._words
        self.view.paint()

    def seek(self, *, backwards: bool) -> None:
        """Go to the next hit or to the one before."""
        if not self._words:
            self.ask_words()
        elif self._source is not None:
            work = self._sought(self._source, backwards=backwards)
            self.run_worker(work, group="search", exclusive=True)

    async def _sought(self, source: LogSource, *, backwards: bool) -> None:
        def asks() -> None:
            self._doing = f"searching {bytes_words(source.pages.size)}"
            self._tell()

        begin = self._seek_begin(source, backwards=backwards)
        try:
            hit = await source.seek(self._words, begin, backwards=backwards, asks=asks)
        except EaasError as error:
            self._say(error.sentence)
            return
        finally:
            self._doing = ""
            self._tell()
        if hit is None:
            there, back = ("before", "n looks after") if backwards else ("after", "N looks before")
            self._say(f"no '{self._words}' {there} this; {back} it")
            return
        self._hit = hit
        self._found = _which_hit(source.pages, self._words, hit)
        if not self.view.look_at(hit, rows_before=self.view.rows_seen // 3):
            self._say("the hit is further into its line than is shown; S saves the log to a file")

    def _told_of_search(self) -> str:
        return self._found

    def _seek_begin(self, source: LogSource, *, backwards: bool) -> int:
        """Return where to begin: beside the last hit's line if it is in sight, else at what is."""
        pages, seen = source.pages, self.view.in_sight
        if self._hit is None or seen is None or not seen[0] <= self._hit <= seen[1]:
            return pages.end if backwards and self.view.follow else self.view.top.offset
        index = pages.index_at(self._hit)
        return pages.start(index) if backwards else pages.stop(index)

    # --- taking it away

    def copy(self) -> None:
        """Copy what is selected, else what is in sight."""
        self._to_clipboard(self.view.copied_text())
        if self.view.selection is not None:
            self.view.action_unselect()

    def copy_all(self) -> None:
        """Copy the whole log, if a terminal's clipboard takes that much."""
        if self._source is None:
            return
        if self._source.pages.size > COPY_BYTES:
            self._say(
                f"{bytes_words(self._source.pages.size)} are too much for a terminal's "
                "clipboard; S saves the log to a file"
            )
            return
        self.run_worker(self._copied(self._source), group="copy", exclusive=True)

    async def _copied(self, source: LogSource) -> None:
        try:
            data = b"".join([piece async for piece in source.pieces()])
        except EaasError as error:
            self._say(error.sentence)
            return
        lines = data.removesuffix(b"\n").split(b"\n")
        self._to_clipboard("".join(f"{plain_text(parse_line(line))}\n" for line in lines))

    def _to_clipboard(self, text: str) -> None:
        if not text.strip():
            self._say("there is nothing to copy")
            return
        kept = text.encode()[:COPY_BYTES].decode(errors="ignore")
        cut = "" if len(kept) == len(text) else "; the rest is too much for a terminal's clipboard"
        lines = kept.count("\n") + (not kept.endswith("\n"))
        work = copy(self.app, kept, said=f"Copied {lines} lines{cut}")
        self.run_worker(work, group="clipboard")

    def save(self) -> None:
        """Ask for a file and write the log there, byte for byte."""
        source = self._source
        if source is None:
            return
        name = f"job-{source.job}-attempt-{source.attempt}.{source.stream}.log"

        def answered(path: str | None) -> None:
            if not path:
                return
            try:
                work = self._saved(source, whole_path(path))
            except EaasError as error:
                self._say(error.sentence)
            else:
                self.run_worker(work, group="save", exclusive=True)

        self.app.push_screen(AskPath("Save the log", path=name), answered)

    async def _saved(self, source: LogSource, path: Path) -> None:
        def told(written: int) -> None:
            self._doing = f"saving {bytes_words(written)} of {bytes_words(source.pages.size)}"
            self._tell()

        try:
            written = await source.save(path, told)
        except FileExistsError:
            self._say(f"{path} is there already; nothing was written")
        except OSError as error:
            self._say(f"{path} can't be written: {error.strerror}")
        except EaasError as error:
            self._say(f"{path} is not complete: {error.sentence}")
        else:
            self.app.notify(safe_text(f"Saved {bytes_words(written)} to {path}"), markup=False)
        finally:
            self._doing = ""
            self._tell()


def _which_hit(pages: LogPages, words: str, hit: int) -> str:
    """Say which hit it is, counted in lines, and of how many where all of the log is held."""
    number, total = pages.hits(words, hit)
    if not pages.reaches_top:
        return "a hit; there may be more before and after"
    return f"hit {number} of {total}" if pages.reaches_end else f"hit {number}; there may be more"
