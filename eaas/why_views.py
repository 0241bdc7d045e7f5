"""Why a job waits, and what a dry run answers, over REST."""

from typing import Literal

from eaas.views import HeldCardView, ScopedReasonView, View


class WhyNodeView(View, frozen=True, kw_only=True):
    node: str
    code: str
    text: str
    asked: int | float | str | None
    available: int | float | str | None
    never: bool


class BlockerView(View, frozen=True, kw_only=True):
    job: int
    user: str
    node: str
    cards: tuple[str, ...]
    ends_at: str | None
    ends_kind: Literal["certain", "estimate", "unknown"]
    ref: str | None = None
    """How it is called where it is a task of an array: ``42[7]``."""


class EtaView(View, frozen=True, kw_only=True):
    at: str | None
    in_s: float | None
    kind: Literal["certain", "estimate", "unknown"]


class FieldErrorView(View, frozen=True, kw_only=True):
    field: str
    line: int | None
    column: int | None
    message: str
    suggestion: str | None


class WhyView(View, frozen=True, kw_only=True):
    job: int | None
    state: str | None
    verdict: Literal["placed", "waiting", "never"]
    text: str
    position: int | None
    reasons: tuple[ScopedReasonView, ...]
    nodes: tuple[WhyNodeView, ...]
    blockers: tuple[BlockerView, ...]
    eta: EtaView
    advice: tuple[str, ...]
    as_of_seq: int


class DryRunView(WhyView, frozen=True, kw_only=True):
    valid: bool
    errors: tuple[FieldErrorView, ...]
    would: Literal["start", "wait", "never"]
    node: str | None
    """Where it would start; of a job on several nodes, where its first rank would."""
    cards: tuple[HeldCardView, ...]
    """On all of them."""
    on_nodes: tuple[str, ...] = ()
    """All nodes it would start on, in the order of its ranks."""
