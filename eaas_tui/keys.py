"""The one table of keys: bindings, the footer, the help screen and the README are made from it."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec
from textual.binding import Binding

Needs = Literal["look", "act", "admin"]
"""What a key asks of a person: ``act`` changes jobs, ``admin`` changes the pool itself."""

FORMS: Final = frozenset({"submit"})
"""Views where letters are typed: of the keys that work anywhere only those with ctrl do there."""

NEW_LINE: Final = ("ctrl+j", "alt+enter", "shift+enter")
"""Begin a new line in a field of several; not every terminal tells the last two from enter."""

ANYWHERE: Final = frozenset({"*"})
"""Bound at the app: valid on every screen that is not a question or a form."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One wish and the keys that express it."""

    keys: tuple[str, ...]
    """In Textual's names; the first one is shown."""
    action: str
    """A method ``action_...`` of the screen, or with ``app.`` before it of the app; empty when the
    list or grid with the focus listens to the key itself."""
    words: str
    """What it does, for the help screen and the README."""
    short: str = ""
    """The same for the footer; empty keeps it out of there."""
    where: frozenset[str] = ANYWHERE
    """Names of views."""
    needs: Needs = "look"
    priority: bool = False
    """Whether it works in forms and questions, too."""
    tab: str = ""
    """Of a screen with tabs: the only one whose footer shows it; empty is every one."""
    rank: int = 50
    """The footer's order: what is used most has the smallest number."""

    @property
    def label(self) -> str:
        """Return the first key as people read it."""
        return label_of(self.keys[0])

    @property
    def labels(self) -> str:
        """Return all keys as people read them."""
        return " ".join(label_of(key) for key in self.keys)

    def is_for(self, view: str) -> bool:
        """Tell whether the key works on this view."""
        return self.where == ANYWHERE or view in self.where


_LABELS: Final = {
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "plus": "+",
    "minus": "-",
    "asterisk": "*",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "equals_sign": "=",
    "comma": ",",
}


def _at(*views: str) -> frozenset[str]:
    return frozenset(views)


LISTS: Final = _at("overview", "jobs", "job", "node", "queue", "events", "bookings")
JOBS: Final = _at("overview", "jobs")
LISTED: Final = _at("jobs")
ONE_JOB: Final = _at("overview", "jobs", "job")
LOG: Final = _at("job")
JOB_TABS: Final = ("Overview", "Log", "Curves", "Events", "Spec")

KEYS: Final[tuple[Key, ...]] = (
    # Moving. The lists themselves listen to these.
    Key(keys=("j", "down"), action="", words="one row down", where=LISTS),
    Key(keys=("k", "up"), action="", words="one row up", where=LISTS),
    Key(keys=("g", "home"), action="", words="to the top", where=LISTS),
    Key(keys=("G", "end"), action="", words="to the end", where=LISTS),
    Key(keys=("pagedown", "ctrl+d"), action="", words="a page down", where=LISTS),
    Key(keys=("pageup", "ctrl+u"), action="", words="a page up", where=LISTS),
    Key(keys=("tab",), action="app.focus_next", words="next pane", short="pane", rank=60),
    Key(keys=("shift+tab",), action="app.focus_previous", words="previous pane"),
    # Views.
    Key(keys=("1",), action="app.view('overview')", words="overview"),
    Key(keys=("2",), action="app.view('jobs')", words="all jobs"),
    Key(keys=("3",), action="app.view('node')", words="a node and its cards"),
    Key(keys=("4",), action="app.view('events')", words="what happened"),
    Key(keys=("5",), action="app.view('bookings')", words="which cards are booked"),
    Key(keys=("enter",), action="", words="open what is selected", short="open",
        where=_at("overview", "jobs", "node", "events"), rank=5),
    Key(keys=("question_mark",), action="app.help", words="the keys of this screen, searchable",
        short="help", rank=1),
    Key(keys=("colon",), action="app.command_line", words="a command, as :node a or :prio 42 10",
        short="cmd", rank=8),
    Key(keys=("ctrl+p",), action="app.command_palette", words="all commands, searchable"),
    Key(keys=("l", "right"), action="", words="the next card; h or left the one before",
        where=_at("overview")),
    Key(keys=("o",), action="", words="on the cards: load, users or jobs",
        where=_at("overview"), short="cards", rank=28),
    # Choosing among jobs.
    Key(keys=("slash",), action="filter", words="filter: words, user:x state:wait pool:p ~regex",
        short="filter", where=LISTED, rank=6),
    Key(keys=("space",), action="", words="mark this job", short="mark", where=LISTED, rank=20),
    Key(keys=("v",), action="", words="mark from the last mark to here", where=LISTED),
    Key(keys=("asterisk",), action="", words="mark everything shown", where=LISTED),
    Key(keys=("u",), action="", words="unmark everything", where=LISTED),
    Key(keys=("less_than_sign",), action="", words="sort by the column to the left",
        where=LISTED),
    Key(keys=("greater_than_sign",), action="", words="sort by the column to the right",
        short="sort", where=LISTED, rank=30),
    Key(keys=("R",), action="", words="turn the order around", where=LISTED),
    Key(keys=("a",), action="toggle_mine", words="my jobs or everybody's", short="mine",
        where=JOBS, rank=25),
    Key(keys=("F",), action="next_state", words="only one state, the next one", where=LISTED),
    Key(keys=("f",), action="toggle_finished", words="with or without ended jobs",
        short="ended", where=LISTED, rank=26),
    Key(keys=("w",), action="toggle_wide", words="more or fewer columns", where=LISTED),
    # Looking at one job.
    Key(keys=("l",), action="log", words="its log", short="log", where=JOBS, rank=7),
    Key(keys=("d",), action="why", words="why it waits or how it ended", short="why",
        where=JOBS, rank=9),
    Key(keys=("y",), action="spec", words="its job file", where=JOBS),
    # Acting on jobs. All that ends something asks first.
    Key(keys=("n",), action="app.submit", words="a new job", short="new", needs="act", rank=10),
    Key(keys=("c",), action="clone", words="a new job like this one", where=JOBS, needs="act"),
    Key(keys=("x",), action="cancel", words="cancel it or what is marked; asks first",
        short="cancel", where=ONE_JOB, needs="act", rank=11),
    Key(keys=("X",), action="kill", words="kill it at once; asks for its number", where=ONE_JOB,
        needs="act"),
    Key(keys=("plus", "equals_sign"), action="priority_up", words="priority up by 5", short="prio",
        where=ONE_JOB, needs="act", rank=15),
    Key(keys=("minus",), action="priority_down", words="priority down by 5", where=ONE_JOB,
        needs="act"),
    Key(keys=("p",), action="priority_set", words="a priority of your choice", where=ONE_JOB,
        needs="act"),
    Key(keys=("t",), action="to_top", words="make it the next of its queue", where=JOBS,
        needs="act"),
    Key(keys=("M",), action="move_queue", words="move it to another queue", where=ONE_JOB,
        needs="act"),
    Key(keys=("r",), action="retry", words="run an ended job once more", where=ONE_JOB,
        needs="act"),
    # A job's own screen.
    *(
        Key(keys=(str(number),), action=f"tab('{tab}')", words=f"{tab.lower()} of the job",
            where=LOG)
        for number, tab in enumerate(JOB_TABS, start=1)
    ),
    Key(keys=("y",), action="copy_uid", words="copy the job's uid", where=LOG),
    Key(keys=("K",), action="keep", words="keep its workspace for a week", where=LOG, needs="act"),
    Key(keys=("right_square_bracket",), action="next_tab", words="next tab", short="tab",
        where=LOG, rank=12),
    Key(keys=("left_square_bracket",), action="previous_tab", words="previous tab", where=LOG),
    Key(keys=("right_parenthesis",), action="next_attempt", words="next attempt", where=LOG),
    Key(keys=("left_parenthesis",), action="previous_attempt", words="previous attempt",
        where=LOG),
    Key(keys=("f",), action="follow", words="log: follow its end", short="follow", where=LOG,
        tab="Log", rank=3),
    Key(keys=("w",), action="wrap", words="log: wrap long lines", short="wrap", where=LOG,
        tab="Log", rank=13),
    Key(keys=("t",), action="times", words="log: when each line arrived", short="times",
        where=LOG, tab="Log", rank=17),
    Key(keys=("e",), action="next_stream", words="log: stdout, stderr, both", where=LOG),
    Key(keys=("slash",), action="search", words="log: search", short="search", where=LOG,
        tab="Log", rank=4),
    Key(keys=("n",), action="search_next", words="log: next hit", where=LOG),
    Key(keys=("N",), action="search_previous", words="log: hit before", where=LOG),
    Key(keys=("c",), action="copy", words="log: copy what is selected or shown", short="copy",
        where=LOG, tab="Log", rank=14),
    Key(keys=("C",), action="copy_all", words="log: copy all of it", where=LOG),
    Key(keys=("S",), action="save", words="log: save to a file", short="save", where=LOG,
        tab="Log", rank=16),
    # Acting on queues and nodes.
    Key(keys=("Z",), action="toggle_queue", words="pause or resume the queue",
        short="pause queue", where=_at("overview", "queue"), needs="admin", rank=40),
    Key(keys=("D",), action="toggle_drain", words="drain or resume the node", short="drain",
        where=_at("overview", "node"), needs="admin", rank=17),
    Key(keys=("E",), action="toggle_card", words="exclude or include the card", short="exclude",
        where=_at("node"), needs="admin", rank=18),
    Key(keys=("V",), action="clean_card", words="say that a dirty card is clean", where=_at("node"),
        needs="admin"),
    Key(keys=("greater_than_sign",), action="go(1)", words="the next node", short="next node",
        where=_at("node"), rank=19),
    Key(keys=("less_than_sign",), action="go(-1)", words="the node before", where=_at("node")),
    Key(keys=("greater_than_sign",), action="go(1)", words="the next queue", short="next queue",
        where=_at("queue"), rank=19),
    Key(keys=("less_than_sign",), action="go(-1)", words="the queue before", where=_at("queue")),
    Key(keys=("right_square_bracket",), action="pane(1)", words="next pane", where=_at("node")),
    Key(keys=("left_square_bracket",), action="pane(-1)", words="pane before", where=_at("node")),
    Key(keys=("x",), action="cancel_booking", words="cancel the booking; asks first",
        short="cancel", where=_at("bookings"), needs="act", rank=11),
    # The form for a new job. Letters are typed there.
    Key(keys=("ctrl+s",), action="send", words="submit the job, once whatever the connection does",
        short="submit", where=FORMS, needs="act", priority=True, rank=1),
    Key(keys=("ctrl+e",), action="edit", words="edit it as YAML in $EDITOR", short="YAML",
        where=FORMS, priority=True, rank=2),
    Key(keys=("ctrl+o",), action="open", words="fill it in from a job file", short="open",
        where=FORMS, priority=True, rank=3),
    Key(keys=("ctrl+t",), action="save", words="write it as a job file", short="save",
        where=FORMS, priority=True, rank=4),
    Key(keys=("right",), action="", words="at a field's end: take the completion in grey",
        where=FORMS),
    Key(keys=("enter",), action="", words="next field; in the last one submit",
        short="next field", where=FORMS, rank=7),
    Key(keys=NEW_LINE, action="", words="in command, env, mounts and labels: a new line",
        short="new line", where=FORMS, rank=8),
    Key(keys=("down", "tab"), action="app.focus_next", words="next field; down in several "
        "lines: the next line first", where=FORMS),
    Key(keys=("up", "shift+tab"), action="app.focus_previous", words="field before", where=FORMS),
    Key(keys=("ctrl+g",), action="app.help", words="these keys, searchable", short="help",
        where=FORMS, priority=True, rank=5),
    Key(keys=("escape",), action="leave", words="stop sending; close, and ask if anything is typed",
        short="back", where=FORMS, rank=6),
    # The console itself.
    Key(keys=("P",), action="app.pause", words="hold the picture still, or go on"),
    Key(keys=("m",), action="app.mouse", words="give the mouse to the terminal (select text)"),
    Key(keys=("T",), action="app.next_theme", words="next theme"),
    Key(keys=("ctrl+l",), action="app.redraw", words="draw everything anew"),
    Key(keys=("ctrl+z",), action="app.suspend_process", words="back to the shell; fg returns"),
    Key(keys=("escape",), action="app.back", words="close, clear, back", short="back", rank=70),
    Key(keys=("q",), action="app.quit_view", words="close this view; the last one quits",
        short="quit", rank=45),
    Key(keys=("ctrl+c",), action="app.interrupt", words="twice: quit, whatever is open",
        priority=True),
)  # fmt: skip


def keys_of(view: str) -> Iterator[Key]:
    """Yield what works on a view: its own keys first; they hide the app's of the same name."""
    own = [key for key in KEYS if view in key.where]
    taken = {name for key in own for name in key.keys}
    yield from own
    for key in KEYS:
        is_letter = not key.keys[0].startswith("ctrl+")
        is_hidden = taken.issuperset(key.keys) or (view in FORMS and is_letter)
        if key.where == ANYWHERE and not is_hidden:
            yield key


def bindings_for(view: str) -> list[Binding]:
    """Return Textual's bindings of a screen: those keys of the table that are its own."""
    return _bindings(key for key in KEYS if view in key.where)


def app_bindings() -> list[Binding]:
    """Return Textual's bindings of the app: what works anywhere."""
    return _bindings(key for key in KEYS if key.where == ANYWHERE)


def footer_keys(view: str, *, may: Iterable[Needs], tab: str = "") -> list[Key]:
    """Return what the footer shows on a view, most used first, without what one may not do.

    On a view with tabs, ``tab`` is the one that is open.
    """
    allowed = frozenset(may)
    shown = [
        key for key in keys_of(view) if key.short and key.needs in allowed and key.tab in ("", tab)
    ]
    return sorted(shown, key=lambda key: key.rank)


def label_of(key: str) -> str:
    """Return a key's name as people read it: ``question_mark`` is ``?``."""
    return _LABELS.get(key, key)


def _bindings(keys: Iterable[Key]) -> list[Binding]:
    return [
        Binding(
            ",".join(key.keys),
            key.action,
            key.words,
            show=False,
            priority=key.priority,
            id=f"{key.action.partition('(')[0].removeprefix('app.')}.{key.keys[0]}",
        )
        for key in keys
        if key.action
    ]
