"""What every screen of the console is: it follows the app's one picture while it is on top."""

from typing import Any, ClassVar

from textual import getters
from textual._styles_cache import StylesCache
from textual.app import App
from textual.reactive import Reactive, var
from textual.screen import Screen
from textual.widget import Widget

from eaas_tui import compositor
from eaas_tui.keys import keys_of
from eaas_tui.model.picture import EMPTY, Picture


class PictureApp(App[None]):
    """Holds the one picture that every screen draws; the console's app extends it."""

    picture: var[Picture] = var(EMPTY, init=False)

    def forget_gone(self) -> None:
        """Forget what those that are gone have watched here, and how they were drawn.

        Textual does so when the watched value changes next: a closed form with all its fields
        would stay until somebody takes another theme. Of how widgets were drawn it keeps the
        last thousand, whether they are there or not.
        """
        StylesCache.get_inner_outer.cache_clear()
        for watchers in getattr(self, "__watchers", {}).values():
            watchers[:] = [entry for entry in watchers if not entry[0]._closing]


class PictureScreen(Screen[None]):
    """A screen that draws the app's picture, but only while it is on top."""

    app = getters.app(PictureApp)
    view_name: ClassVar[str] = ""
    """The name that keys, help and the command line know it by."""

    picture: var[Picture] = var(EMPTY, init=False)
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Who gets the keys. The two that change it draw themselves; Textual draws the whole screen."""

    def __init__(self) -> None:
        super().__init__()
        if compositor.KNOWN:
            self._compositor = compositor.LeanCompositor()

    def on_compose(self) -> None:
        """Take the terminal's size before there are widgets that would be styled anew for it."""
        width, height = self.app.size
        for cells, steps in (
            (width, self.HORIZONTAL_BREAKPOINTS),
            (height, self.VERTICAL_BREAKPOINTS),
        ):
            self.add_class(*self._get_breakpoint_classes(cells, steps or []), update=False)

    def on_mount(self) -> None:
        """Begin to follow."""
        self.watch(self.app, "picture", self._follow, init=False)
        self.picture = self.app.picture

    def on_screen_resume(self) -> None:
        """Catch up with what happened below another screen."""
        self.picture = self.app.picture

    def on_unmount(self) -> None:
        """Leave nothing in memory when it is closed."""
        self.app.forget_gone()

    def _follow(self, picture: Picture) -> None:
        if self.is_in_sight:
            self.picture = picture

    @property
    def is_in_sight(self) -> bool:
        """Tell whether nothing opaque is above it; Textual's own answer counts one screen more."""
        for screen in reversed(self.app.screen_stack):
            if screen is self:
                return True
            if screen.styles.background.a == 1:
                return False
        return False

    def watch_picture(self, picture: Picture) -> None:
        """Hand the picture down to the widgets; each screen says how."""
        self.draw(picture)

    def draw(self, picture: Picture) -> None:
        """Give every widget what it is to show. Called for each new picture; must be quick."""

    def check_leave(self) -> bool:
        """Tell whether ``q`` or ``escape`` may close this screen now (a dirty form says no)."""
        return True

    def acts_on(self, key: str) -> bool:
        """Tell whether the key would do more here than look; where one types it is a letter."""
        from textual.widgets import Input, TextArea  # large, and not on the first screen

        if isinstance(self.focused, Input | TextArea):
            return False
        return any(key in it.keys and it.needs != "look" for it in keys_of(self.view_name))

    def facts(self) -> dict[str, Any]:
        """Return what actions on this screen are about: ``job``, ``jobs``, ``node``, ``queue``."""
        return {}
