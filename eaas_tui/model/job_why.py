"""Why a job waits, as far as the controller says: the verdict, node by node, who is in the way."""

from collections.abc import Iterator, Sequence
from typing import Final

from eaas.cli.words import many, moment, short_duration, untold_reasons
from eaas.why_views import BlockerView, EtaView, WhyView
from eaas_tui.model.columns import Cell, Tone
from eaas_tui.model.format import number_runs
from eaas_tui.model.picture import EMPTY, Picture
from eaas_tui.model.text_lines import BLANK, TextLine, table, text

VERDICTS: Final[dict[str, Tone]] = {"placed": "good", "waiting": "warn", "never": "bad"}


def why_lines(why: WhyView, picture: Picture = EMPTY) -> Iterator[TextLine]:
    """Yield the verdict, its reasons, node by node, who is in the way, and what would help.

    Jobs and cards are called as in the picture; those it has not, by number and count.
    """
    yield text(Cell("WHY  ", "strong"), Cell(why.text, VERDICTS[why.verdict]), indent=5)
    if eta := eta_words(why.eta):
        yield text(Cell("ETA  ", "strong"), eta, indent=5)
    for reason in untold_reasons(why):
        yield text(Cell(f"     {reason.scope}: ", "muted"), reason.text, indent=7)
    for advice in why.advice:
        yield text(Cell("DO   ", "strong"), advice, indent=5)
    if why.nodes:
        yield BLANK
        yield from table(
            ("NODE", "CODE", "WHY NOT"), [(one.node, one.code, one.text) for one in why.nodes]
        )
    if why.blockers:
        yield BLANK
        yield from _blockers(why.blockers, picture)


def eta_words(eta: EtaView) -> str | None:
    """Return when the job starts, and how sure that is; None when nobody can say."""
    if eta.at is None:
        return None
    sure = "certain" if eta.kind == "certain" else "an estimate"
    return f"starts in {short_duration(eta.in_s)}, at {moment(eta.at)} ({sure})"


def _blockers(blockers: Sequence[BlockerView], picture: Picture) -> list[TextLine]:
    rows = [
        (
            f"#{job.ref if (job := picture.jobs.get(one.job)) else one.job}",
            one.user,
            one.node,
            _holds(one, picture),
            _ends(one),
        )
        for one in blockers
    ]
    return table(("IN THE WAY", "USER", "NODE", "HOLDS", "ENDS"), rows)


def _holds(blocker: BlockerView, picture: Picture) -> str:
    """Return which cards it holds, by their numbers on its node."""
    node = picture.nodes.get(blocker.node)
    known = [] if node is None else [c.index for c in node.cards if c.uuid in blocker.cards]
    if not known or len(known) < len(blocker.cards):
        return many(len(blocker.cards), "card")
    return f"card{'s' if len(known) > 1 else ''} {number_runs(known)}"


def _ends(blocker: BlockerView) -> str:
    """Return when the job ends; what is certain is its timeout, so it may end sooner."""
    if blocker.ends_at is None:
        return "unknown"
    sure = "at the latest" if blocker.ends_kind == "certain" else "by estimate"
    return f"{moment(blocker.ends_at)} {sure}"
