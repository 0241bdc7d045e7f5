"""One card in one to twenty columns: its sign, its bar, its numbers and who holds it.

Every state has a sign and a word of its own, so that nothing is told by colour alone.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from rich.cells import cell_len, set_cell_size

from eaas.node_views import CARD_SETTLING, CardView
from eaas_tui.glyphs import BLOCKS, Glyphs, bar

Tone = Literal[
    "plain", "dim", "title", "name", "mine", "free", "low", "mid", "high",
    "shared", "foreign", "dirty", "sick", "excluded", "unknown",
]  # fmt: skip
"""What a piece of text is about; the widget turns it into a colour."""

Piece: TypeAlias = tuple[str, Tone]
Shows = Literal["load", "user", "job"]
"""What stands beside the sign: how busy the card is, whose it is, or which job's."""

WIDTHS: Final = (20, 15, 8, 5, 4, 3, 2, 1)
"""The columns a cell may take, its gap to the next one among them."""

SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "free": "·",
        "held": "█",
        "booked": "B",
        "shared": "+",
        "foreign": "F",
        "dirty": "D",
        "freed": ":",
        "sick": "!",
        "excluded": "x",
        "unknown": "?",
    }
)
_SHORT_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"excluded": "excl", "unknown": "unkn", "foreign": "other"}
)


@lru_cache(4096)  # few texts, for every card at every draw
def fit(text: str, width: int) -> str:
    """Return the text cut or filled to exactly so many terminal cells."""
    return set_cell_size(text, width) if width > 0 else ""


def lying_bar(pct: int | None, width: int, glyphs: Glyphs = BLOCKS) -> str:
    """Return a bar of that width, never empty; a load that is not known is a row of dashes."""
    if pct is None or width <= 0:
        return "-" * width
    least = 1 / (width * (len(glyphs.growing) - 1))
    return bar(max(pct / 100, least), width, glyphs)


def step(pct: int | None, glyphs: Glyphs = BLOCKS) -> str:
    """Return one upright bar of one column, never blank nor the sign of
    a free card; ``=`` where the load is not known."""
    if pct is None:
        return "="
    return _steps(glyphs.rising, glyphs.dot)[min(100, max(0, pct))]


@lru_cache(8)
def _steps(rising: str, dot: str) -> str:
    """Return the sign of each percentage from 0 to 100."""
    steps = rising[1:].replace(dot, "")
    return "".join(steps[min(len(steps) - 1, pct * len(steps) // 100)] for pct in range(101))


def sparkline(rows: Sequence[Sequence[int | None]], width: int, glyphs: Glyphs = BLOCKS) -> str:
    """Return the rows' mean squeezed into the width, the newest at the right; a gap stays blank.

    Rows may be of different lengths: their ends are the same moment.
    """
    count = max(map(len, rows), default=0)
    columns = min(width, count)
    if columns <= 0:
        return " " * max(0, width)
    backs = [count - count * at // columns for at in range(columns + 1)]
    means = [
        mean([value for row in rows for value in _between(row, back, until)])
        for back, until in pairwise(backs)
    ]
    drawn = "".join(" " if value is None else step(value, glyphs) for value in means)
    return drawn.rjust(width)


def mean(values: Sequence[int | None]) -> int | None:
    """Return the mean of what is known, in whole percent."""
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known)) if known else None


def memory_pct(card: CardView) -> int | None:
    """Return how full the card's memory is, where both numbers are known."""
    if card.memory_used_mib is None or not card.memory_total_mib:
        return None
    return min(100, card.memory_used_mib * 100 // card.memory_total_mib)


def holder(card: CardView, shows: Shows) -> str:
    """Return whose card it is in a word: the user, or the job's number; empty where nobody's.

    Of a shared card it is the first one.
    """
    if card.claims:
        claim = card.claims[0]
        return str(claim.job) if shows == "job" else claim.user
    if card.state == "foreign":
        return next((it.user for it in card.processes if it.user), "")
    return ""


def parts_bar(card: CardView, width: int, glyphs: Glyphs = BLOCKS) -> str:
    """Return a shared card's memory as that many signs: the initial of each job's user for what the
    job declared, one sign at least, and dots for what is left. Beside each other the jobs of one
    user are told apart by small and large letters.
    """
    total = max(card.memory_total_mib or 0, card.memory_claimed_mib, 1)
    drawn, declared = "", 0
    for claim in card.claims:
        declared += claim.memory_mib or 0
        until = max(len(drawn) + 1, round(declared * width / total))
        letter = _initial(claim.user)
        letter = letter.upper() if drawn.endswith(letter) else letter
        drawn += letter * (until - len(drawn))
    return drawn[:width].ljust(width, glyphs.dot)


def tone(card: CardView, me: str | None = None) -> Tone:
    """Return what colour the card asks for."""
    match card.state:
        case "held":
            if me is not None and any(claim.user == me for claim in card.claims):
                return "mine"
            return _load_tone(card.utilization_pct)
        case "dirty" if is_settling(card):
            return "free"
        case "free" | "shared" | "foreign" | "dirty" | "sick" | "excluded":
            return card.state
        case _:
            return "unknown"


def is_settling(card: CardView) -> bool:
    """Tell whether a job has just left the card, which is offered again when it is seen clean."""
    return card.reason is not None and card.reason.code == CARD_SETTLING


def state_word(card: CardView) -> str:
    """Return the card's state in a word; one that a job has just left is no dirty one to people."""
    if is_booked(card):
        return "booked"
    return "freed" if is_settling(card) else card.state


def is_booked(card: CardView) -> bool:
    """Tell whether the card is free, but now for those alone for whom it is booked."""
    is_for_some = card.state == "free" and not card.offered
    return is_for_some and card.reason is not None and card.reason.code == "booking"


def is_shut(card: CardView) -> bool:
    """Tell whether a person excluded the card, be it that a job still holds it."""
    return card.state == "excluded" or (
        card.reason is not None and card.reason.code == "card_excluded"
    )


def sign(card: CardView, glyphs: Glyphs = BLOCKS) -> str:
    """Return the one character that tells the card's state; a held card shows its load.

    One that is held and excluded shows that no other job will get it.
    """
    if is_shut(card):
        return SIGNS["excluded"]
    if card.state == "held":
        return step(card.utilization_pct, glyphs)
    if card.state == "free" and not is_booked(card):
        return glyphs.dot
    return SIGNS.get(state_word(card), "?")


def cell(card: CardView, width: int, shows: Shows = "load", glyphs: Glyphs = BLOCKS) -> str:
    """Return the card in exactly that many terminal cells."""
    if width >= 15:
        text = _roomy(card, width - 1, shows, glyphs)
    elif width >= 8:
        text = _middling(card, width - 1, shows, glyphs)
    elif width >= 3:
        text = _small(card, width - (width > 3), shows, glyphs)
    else:
        text = _single(card, shows, glyphs)
    return fit(text, width)


def _between(row: Sequence[int | None], back: int, until: int) -> Sequence[int | None]:
    """Return what lies so far from the row's end, ``until`` nearer to it."""
    return row[max(0, len(row) - back) : max(0, len(row) - until)]


def _load_tone(pct: int | None) -> Tone:
    if pct is None or pct < 30:
        return "low"
    return "mid" if pct < 80 else "high"


def _single(card: CardView, shows: Shows, glyphs: Glyphs) -> str:
    """A letter is small, an ``x`` excepted: capitals and ``x`` are the states' own signs."""
    if shows == "load" or card.state not in ("held", "shared"):
        return sign(card, glyphs)
    if not (whose := holder(card, shows)):
        return sign(card, glyphs)
    return whose[-1:] if shows == "job" else _initial(whose)


def _initial(user: str) -> str:
    first = user[:1].lower().replace("x", "X")
    return first if cell_len(first) == 1 else "@"


def _small(card: CardView, room: int, shows: Shows, glyphs: Glyphs) -> str:
    lead, rest = sign(card, glyphs), room - 1
    if card.state == "free":
        return lead
    if shows == "load" or not (whose := holder(card, shows)):
        return lead + _number(card).rjust(rest)
    if shows == "job" and cell_len(whose) > rest and card.state == "held":
        return whose
    return lead + _holders(card, shows, rest)


def _holders(card: CardView, shows: Shows, room: int) -> str:
    """Return the holder in so many columns, with how many share the card besides if that fits.

    A task of an array is named as in the lists where there is room, else by its own number.
    """
    whose, others = holder(card, shows), len(card.claims) - 1
    if shows == "job" and card.claims and cell_len(card.claims[0].shown) <= room:
        whose = card.claims[0].shown
    if others > 0 and cell_len(f"{whose}+{others}") <= room:
        whose = f"{whose}+{others}"
    return fit(whose, room)


def _number(card: CardView) -> str:
    """How busy it is, or for a card that only keeps memory, how much, in GiB."""
    if is_settling(card):
        return ""
    if card.state == "dirty":
        return _gib(card.memory_used_mib)
    if card.state in ("sick", "excluded", "unknown") or card.utilization_pct is None:
        return ""
    return str(card.utilization_pct)


def _middling(card: CardView, room: int, shows: Shows, glyphs: Glyphs) -> str:
    if card.state not in ("held", "shared", "foreign"):
        return _idle(card, room, glyphs)
    whose = holder(card, shows)
    number = "  -" if card.utilization_pct is None else f"{card.utilization_pct:>3}"
    if card.state == "foreign":
        return f"F {fit(whose or '?', room - 2)}"
    lead = _lead(card)
    rest = room - cell_len(number) - len(lead) - (shows != "load" and bool(whose))
    if card.state == "shared" and shows == "load":
        return lead + parts_bar(card, rest, glyphs) + number
    if shows == "load" or not whose:
        return lead + lying_bar(card.utilization_pct, rest, glyphs) + number
    return lead + _holders(card, shows, rest) + " " + number


def _lead(card: CardView) -> str:
    """What stands before a held card's bar or holder."""
    if is_shut(card):
        return SIGNS["excluded"]
    return SIGNS["shared"] if card.state == "shared" else ""


def _idle(card: CardView, room: int, glyphs: Glyphs) -> str:
    word = state_word(card) if card.state in SIGNS else "unknown"
    if room < 10:
        word = _SHORT_WORDS.get(word, word)
    kept = f" {_gib(card.memory_used_mib)}" if word == "dirty" and room >= 10 else ""
    text = f"{sign(card, glyphs)} {word}{kept}"
    heat = "" if card.temperature_c is None else f" {card.temperature_c}C"
    return text + heat if room >= 12 and len(text + heat) <= room else text


def _roomy(card: CardView, room: int, shows: Shows, glyphs: Glyphs) -> str:
    """Bar, initial or holder, load, memory, and from 20 columns on the temperature."""
    if card.state not in ("held", "shared", "foreign"):
        return _idle(card, room, glyphs)
    load = "   -" if card.utilization_pct is None else f"{card.utilization_pct:>3}%"
    heat = "" if card.temperature_c is None else f"{card.temperature_c}C"
    tail = f" {load} {_gib(card.memory_used_mib):>3}" + (f" {heat:>3}" if room >= 18 else "")
    rest = room - cell_len(tail)
    whose = holder(card, shows)
    if card.state == "foreign":
        return f"F {fit(whose or '?', rest - 2)}{tail}"
    lead = _lead(card)
    if shows != "load" and whose:
        return lead + _holders(card, shows, rest - len(lead)) + tail
    if card.state == "shared":
        return lead + parts_bar(card, rest - len(lead), glyphs) + tail
    first = f" {whose[:1]}" if whose else ""
    bar = lying_bar(card.utilization_pct, rest - len(lead) - cell_len(first), glyphs)
    return lead + bar + first + tail


def _gib(mib: int | None) -> str:
    """Memory in as few columns as it goes: whole GiB."""
    return "-" if mib is None else f"{round(mib / 1024)}G"
