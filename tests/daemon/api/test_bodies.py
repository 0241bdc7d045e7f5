import pytest

from eaas.errors import Invalid
from eaas.wire.codec import BadMessage
from eaas.wire.rest import KeepJob, PatchNode, SetQueue, SubmitBatch
from eaas_daemon.api.bodies import decode


@pytest.mark.parametrize(
    ("body", "kind", "field", "suggestion"),
    [
        (b'{"drainig": true}', PatchNode, "drainig", "draining"),
        (b'{"zzz": 1}', PatchNode, "zzz", None),
        (b'{"draining": 1}', PatchNode, "draining", None),
        (b'{"labels": {"a": 1}}', PatchNode, "labels[...]", None),
        (b'{"jobs": [1]}', SubmitBatch, "jobs[0]", None),
        (b"{}", SubmitBatch, "", None),
        (b"[]", SetQueue, "", None),
        (b'{"max_running": 1e308}', SetQueue, "max_running", None),
        (b'{"max_running": ' + b"9" * 400 + b"}", SetQueue, "max_running", None),
        (b'{"for_s": 1e308}', KeepJob, "for_s", None),
    ],
)
def test_a_mistake_is_named_by_its_field(
    body: bytes, kind: type[PatchNode], field: str, suggestion: str | None
) -> None:
    with pytest.raises(Invalid) as refusal:
        decode(body, kind)

    [error] = refusal.value.errors
    assert (error.field, error.suggestion) == (field, suggestion)


def test_a_number_that_nothing_could_hold_is_told_its_limit() -> None:
    with pytest.raises(Invalid, match="for_s: must be 2147483647 at most"):
        decode(b'{"for_s": 1e308}', KeepJob)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000],
    ids=["empty", "open", "NaN", "no text", "deep list", "deep mapping"],
)
def test_what_is_no_json_is_one_refusal(body: bytes) -> None:
    with pytest.raises((BadMessage, Invalid)):
        decode(body, SubmitBatch)
