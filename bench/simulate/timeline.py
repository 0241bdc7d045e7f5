"""A schedule as a picture: a row for each card, time to the right, a colour for each user.

Every run is one bar, a path over all its cards' rows; a run without cards lies in the thin lane
under its node's cards. Above stands how many jobs wait, for this policy and for those it is
compared with. A bar tells its job under the pointer. What was broken off is drawn pale.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from math import ceil
from time import gmtime, strftime
from typing import Final
from xml.sax.saxutils import escape

import msgspec

from bench.simulate.outcomes import utilisation
from bench.simulate.table import ranked_users, short
from bench.simulate.workload import Run, Schedule

WIDTH: Final = 1600
LEFT: Final = 64
RIGHT: Final = 1584
QUEUE_TOP: Final = 92
QUEUE_HEIGHT: Final = 150
CARDS_TOP: Final = QUEUE_TOP + QUEUE_HEIGHT + 40
CARDS_HEIGHT: Final = 820
"""About; a row is a whole number of half pixels high."""

LANE: Final = 3.0
"""The height of a node's lane for runs without cards."""

GAP: Final = 5.0

COLOURS: Final = (
    "#4269d0",
    "#e8871e",
    "#2f9e62",
    "#c8453b",
    "#8e5fb8",
    "#3fa7b5",
    "#d9689c",
    "#8a6a4a",
    "#b5a327",
    "#6b7fa3",
)
OTHERS: Final = "#9aa0a6"
"""Users beyond the colours, who ask for the least, share this one."""

STYLE: Final = """
text{font:12px 'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#333}
.title{font-size:18px;font-weight:bold}.small{font-size:11px;fill:#666}.end{text-anchor:end}
.idle{fill:#eaedf0}.lane{fill:#dde1e6}.grid,.last,.axis,.other{fill:none}
.grid{stroke:#b9bfc7;stroke-width:.7}.last{stroke:#333;stroke-dasharray:4 3}.axis{stroke:#777}
.queue{fill:#c9d3e6;stroke:#4a5f8c}.other{stroke:#b5651d;stroke-width:1.4}.off{fill-opacity:.4}
"""

STEPS_S: Final = (60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400)
MOST_LABELS: Final = 14


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """Where things stand in the picture."""

    ends_s: float
    cards: int
    """On a node."""
    row: float

    @property
    def node(self) -> float:
        """Return the height of a node with its lane and the gap below."""
        return self.cards * self.row + LANE + GAP

    def x(self, at_s: float) -> float:
        """Return where a time stands."""
        return LEFT + (RIGHT - LEFT) * at_s / self.ends_s

    def y(self, node: int, card: int) -> float:
        """Return where a card's row begins; the card after the last is the lane."""
        return CARDS_TOP + node * self.node + card * self.row


def draw(shown: Schedule, beside: Sequence[Schedule] = ()) -> str:
    """Return the schedule as an SVG document, with the queues of others beside its own."""
    pool = shown.pool
    rows = pool.nodes * pool.cards
    room = CARDS_HEIGHT - pool.nodes * (LANE + GAP)
    row = min(max(int(2 * room / max(rows, 1)) / 2, 2.0), 16.0)
    ends_s = max((run.ended_s for run in shown.runs), default=0.0) or 1.0
    scale = Scale(ends_s=ends_s, cards=pool.cards, row=row)
    height = CARDS_TOP + pool.nodes * scale.node + 22
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}"><style>{STYLE}{_colours()}</style>'
        f'<rect width="{WIDTH}" height="{height:g}" fill="#fff"/>'
    )
    parts = [
        head,
        *_title(shown),
        *_idle(shown, scale),
        *_grid(shown, scale, height),
        *_queues(shown, beside, scale),
        *_bars(shown, scale),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _colours() -> str:
    named = [f".u{number}{{fill:{colour}}}" for number, colour in enumerate(COLOURS)]
    return "".join([*named, f".u{len(COLOURS)}{{fill:{OTHERS}}}"])


def _classes(schedule: Schedule) -> dict[str, int]:
    """Return the number of each user's colour."""
    return {
        user: min(rank, len(COLOURS)) for rank, user in enumerate(ranked_users(schedule.workload))
    }


def _title(shown: Schedule) -> Iterator[str]:
    pool, jobs = shown.pool, len(shown.workload.submissions)
    used = utilisation(shown)
    words = f"{jobs:,} jobs on {pool.nodes} nodes with {pool.cards} cards each"
    if used is not None:
        words += f"; {used * 100:.1f} % of the cards' time until the last submission is used"
    title = escape(f"{shown.workload.title}: {shown.policy}")
    yield f'<text class="title" x="{LEFT}" y="30">{title}</text>'
    yield f'<text class="small" x="{LEFT}" y="48">{words}</text>'
    classes = _classes(shown)
    x = float(LEFT)
    for number, users in groupby(classes, key=lambda user: classes[user]):
        names = list(users)
        name = names[0] if number < len(COLOURS) else f"{len(names)} others"
        yield f'<rect class="u{number}" x="{x:g}" y="59" width="12" height="12" rx="2"/>'
        yield f'<text x="{x + 17:g}" y="69">{escape(name)}</text>'
        x += 17 + 7.5 * len(name) + 22


def _idle(shown: Schedule, scale: Scale) -> Iterator[str]:
    """Yield each node's rows, empty, and its name."""
    width = RIGHT - LEFT
    digits = len(str(shown.pool.nodes))
    cards = scale.cards * scale.row
    for node in range(shown.pool.nodes):
        y = scale.y(node, 0)
        yield f'<rect class="idle" x="{LEFT}" y="{y:g}" width="{width}" height="{cards:g}"/>'
        lane = scale.y(node, scale.cards)
        yield f'<rect class="lane" x="{LEFT}" y="{lane:g}" width="{width}" height="{LANE:g}"/>'
        middle = y + (cards + LANE) / 2 + 4
        name = f"n{node + 1:0{digits}}"
        yield f'<text class="end" x="{LEFT - 8}" y="{middle:g}">{name}</text>'


def _grid(shown: Schedule, scale: Scale, height: float) -> Iterator[str]:
    """Yield the lines and names of days, or of hours where it is about few."""
    days = 86400 * ceil(scale.ends_s / 86400 / MOST_LABELS)
    step_s = next((s for s in STEPS_S if scale.ends_s / s <= MOST_LABELS), days)
    begins_at = shown.workload.begins_at
    first_s = -begins_at % step_s if step_s <= 86400 else -begins_at % 86400
    bottom = height - 22
    form = "%a %d %b" if step_s >= 86400 else "%a %H:%M"
    for number in range(int((scale.ends_s - first_s) // step_s) + 1):
        at_s = first_s + number * step_s
        x = scale.x(at_s)
        yield f'<path class="grid" d="M{x:.1f} {QUEUE_TOP}V{bottom:g}"/>'
        if x < RIGHT - 64:
            words = strftime(form, gmtime(begins_at + at_s))
            for y in (CARDS_TOP - 8, bottom + 16):
                yield f'<text class="small" x="{x + 3:.1f}" y="{y:g}">{words}</text>'
    x = scale.x(shown.workload.last_s)
    yield f'<path class="last" d="M{x:.1f} {QUEUE_TOP - 6}V{bottom:g}"/>'
    yield f'<text class="small end" x="{x - 5:.1f}" y="{QUEUE_TOP - 4}">last submission</text>'


# --- the queue


def _queues(shown: Schedule, beside: Sequence[Schedule], scale: Scale) -> Iterator[str]:
    curves = [(each, waiting(each, scale.ends_s, RIGHT - LEFT)) for each in (shown, *beside)]
    most = _round_number(max(max(curve) for _, curve in curves))
    bottom = QUEUE_TOP + QUEUE_HEIGHT
    for index, (each, curve) in enumerate(curves):
        path = _steps([bottom - QUEUE_HEIGHT * value / most for value in curve])
        kind = "other" if index else "queue"
        if not index:
            path = f"M{LEFT} {bottom}V{path.partition(' ')[2]}V{bottom}Z"
        yield f'<path class="{kind}" d="{path}"/>'
        y = 26 + 19 * index
        yield f'<path class="{kind}" d="M{RIGHT - 220} {y}h24' + ('"/>' if index else 'v-8h-24z"/>')
        yield f'<text x="{RIGHT - 188}" y="{y}">jobs waiting, {escape(each.policy)}</text>'
    yield f'<path class="axis" d="M{LEFT} {QUEUE_TOP}V{bottom}H{RIGHT}"/>'
    for part in (0.0, most / 2, most):
        height = bottom - QUEUE_HEIGHT * part / most + 4
        yield f'<text class="end" x="{LEFT - 8}" y="{height:g}">{part:,g}</text>'


def waiting(schedule: Schedule, ends_s: float, columns: int) -> list[int]:
    """Return how many jobs wait, at the most, within each of so many equal spans of time.

    A job waits from its submission to its first start; one that never starts waits to the end.
    """
    began = {run.of: run.began_s for run in sorted(schedule.runs, key=lambda run: -run.began_s)}
    changes: list[tuple[float, int]] = []
    for of, job in enumerate(schedule.workload.submissions):
        if began.get(of) != job.at_s:
            changes.append((job.at_s, 1))
            changes += [(began[of], -1)] if of in began else []
    changes.sort()
    levels = [0, *accumulate(change for _, change in changes)]
    most = [0] * columns
    column = 0
    for level, (at_s, _) in zip(levels, [*changes, (ends_s, 0)], strict=True):
        last = min(int(at_s / ends_s * columns), columns - 1)
        for each in range(column, last + 1):
            most[each] = max(most[each], level)
        column = last
        if at_s > ends_s:
            break
    return most


def _round_number(value: float) -> float:
    """Return a number not below the value that reads well, and of which the half does too."""
    size = 10.0 ** max(len(f"{value:.0f}") - 1, 0)
    return next(size * times for times in (1, 1.2, 1.6, 2, 3, 4, 6, 8, 10) if size * times >= value)


def _steps(points: Sequence[float]) -> str:
    """Return a path that is level in each column and runs through the points."""
    path = f"M{LEFT} {points[0]:.1f}"
    for column, (before, here) in enumerate(pairwise(points), 1):
        if here != before:
            path += f"H{LEFT + column}V{here:.1f}"
    return f"{path}H{LEFT + len(points)}"


# --- the runs


def _bars(shown: Schedule, scale: Scale) -> Iterator[str]:
    classes = _classes(shown)
    jobs = shown.workload.submissions
    for run in shown.runs:
        job = jobs[run.of]
        kind = f"u{classes[job.user]}" + ("" if run.is_whole else " off")
        cards = f"{len(run.cards)} cards" if len(run.cards) != 1 else "1 card"
        words = (
            f"{job.user}, job {run.of + 1}: {cards if run.cards else 'no card'}, "
            f"ran {short(run.ended_s - run.began_s)}, waited {short(run.began_s - job.at_s)}"
        )
        yield f'<path class="{kind}" d="{_bar(run, scale)}"><title>{escape(words)}</title></path>'


def _bar(run: Run, scale: Scale) -> str:
    """Return the run's rectangles: one for each row of neighbours among its cards."""
    x = scale.x(run.began_s)
    width = max(scale.x(run.ended_s) - x, 0.4)
    if width > 1.5:
        width -= 0.4
    if not run.cards:
        y = scale.y(run.node, scale.cards)
        return f"M{x:.1f} {y:g}h{width:.1f}v{LANE:g}h-{width:.1f}z"
    parts = []
    for first, count in neighbours(run.cards):
        y, height = scale.y(run.node, first), count * scale.row - 0.5
        parts.append(f"M{x:.1f} {y:g}h{width:.1f}v{height:g}h-{width:.1f}z")
    return "".join(parts)


def neighbours(cards: Sequence[int]) -> list[tuple[int, int]]:
    """Return the cards as spans: the first of each, and how many follow one another."""
    spans: list[tuple[int, int]] = []
    for card in sorted(cards):
        if spans and card == sum(spans[-1]):
            spans[-1] = (spans[-1][0], spans[-1][1] + 1)
        else:
            spans.append((card, 1))
    return spans
