"""The reasons a job can carry in the database, as one tagged union."""

from eaas import reasons as r
from eaas.gang_reasons import RankEnded
from eaas.preempt_reasons import Preempted

AnyReason = (
    r.Exited
    | r.OutOfMemory
    | r.Cancelled
    | r.TimedOut
    | Preempted
    | r.StartRefused
    | r.AttemptLost
    | r.NodeSilent
    | r.ConfirmedDead
    | r.AfterFailed
    | RankEnded
)
