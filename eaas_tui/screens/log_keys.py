"""The keys of a log, for a screen that has one among other things."""

from eaas_tui.screens.acting import ActingScreen
from eaas_tui.screens.job_log import LogPane


class LogKeys(ActingScreen):
    """Hands the log's keys to the log."""

    @property
    def log_pane(self) -> LogPane:
        """Return the log, brought into sight."""
        raise NotImplementedError

    def action_follow(self) -> None:
        """Follow the log's end, or stop."""
        view = self.log_pane.view
        if view.follow:
            view.scroll_rows(-1)
        else:
            view.action_to_end()

    def action_wrap(self) -> None:
        """Break long lines of the log, or not."""
        view = self.log_pane.view
        view.set_wrap(not view.lines.wrap)

    def action_times(self) -> None:
        """Show before each line of the log when it arrived, or don't."""
        view = self.log_pane.view
        view.set_times(shown=view.times is None)

    def action_search(self) -> None:
        """Ask what to search the log for."""
        self.log_pane.ask_words()

    def action_search_next(self) -> None:
        """Go to the next hit."""
        self.log_pane.seek(backwards=False)

    def action_search_previous(self) -> None:
        """Go to the hit before."""
        self.log_pane.seek(backwards=True)

    def action_next_attempt(self) -> None:
        """Show the log of the attempt after."""
        self.log_pane.turn_attempt(1)

    def action_previous_attempt(self) -> None:
        """Show the log of the attempt before."""
        self.log_pane.turn_attempt(-1)

    def action_next_stream(self) -> None:
        """Show both streams, or one of them."""
        self.log_pane.turn_stream()

    def action_copy(self) -> None:
        """Copy what is selected in the log, else what is in sight of it."""
        self.log_pane.copy()

    def action_copy_all(self) -> None:
        """Copy the whole log."""
        self.log_pane.copy_all()

    def action_save(self) -> None:
        """Save the log to a file."""
        self.log_pane.save()
