import msgspec
import pytest

from eaas.wire.codec import BadMessage, Unsupported
from eaas.wire.from_agent import FROM_AGENT, AttemptRunning, Beat, Facts, Progress, Spooled
from eaas.wire.logs import LOG_FROM_AGENT, LogPiece, LogPieces
from eaas.wire.to_agent import TO_AGENT, Ack, Order, Stop, Wanted

MESSAGES = [
    (FROM_AGENT, Progress(uid="u", attempt=1, name="pulling", done_bytes=1, total_bytes=2)),
    (FROM_AGENT, Beat(memory_used_mib=None, loop_lag_s=0.0, cards=(), sampled_at=None)),
    (
        FROM_AGENT,
        Facts(
            spool_id="s",
            facts=(Spooled(1, AttemptRunning(uid="u", attempt=1, started_at=1.5, handle="c")),),
        ),
    ),
    (TO_AGENT, Ack(spool_id="s", seq=9)),
    (
        TO_AGENT,
        Wanted(
            full=True,
            orders=(
                Order(
                    uid="u",
                    number=1,
                    attempt=2,
                    epoch=1,
                    known=True,
                    user="alice",
                    cards=("GPU-1",),
                    command=("a", "b"),
                    stop=Stop(grace_s=1.0, why="cancelled"),
                ),
            ),
        ),
    ),
    (
        LOG_FROM_AGENT,
        LogPieces(
            pieces=(
                LogPiece(uid="u", attempt=1, stream="stdout", offset=0, data=bytes(range(256))),
                LogPiece(uid="u", attempt=1, stream="stderr", offset=0, data=b"x", at=1.5),
            )
        ),
    ),
]


@pytest.mark.parametrize(("codec", "message"), MESSAGES, ids=lambda value: type(value).__name__)
def test_a_message_survives_the_wire(codec: object, message: object) -> None:
    assert codec.decode(codec.encode(message)) == message  # type: ignore[attr-defined]


def test_fields_of_a_newer_version_are_ignored() -> None:
    newer = msgspec.msgpack.encode({"type": "ack", "spool_id": "s", "seq": 1, "colour": "red"})

    assert TO_AGENT.decode(newer) == Ack(spool_id="s", seq=1)


def test_a_message_type_of_a_newer_version_is_told_from_a_broken_one() -> None:
    with pytest.raises(Unsupported):
        TO_AGENT.decode(msgspec.msgpack.encode({"type": "dance"}))


ACK = msgspec.msgpack.encode({"type": "ack"})
NESTED = msgspec.msgpack.encode({"type": "ack", "x": 1})[:-1] + b"\x91" * 5000 + b"\x01"


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81", b"\x91" * 5000, NESTED, ACK])
def test_a_broken_message_is_refused_and_not_half_read(data: bytes) -> None:
    with pytest.raises(BadMessage) as refused:
        TO_AGENT.decode(data)

    assert not isinstance(refused.value, Unsupported)
