from pathlib import Path

import pytest

from eaas.errors import Invalid
from eaas.wire.codec import BadMessage
from eaas_daemon.api.job_bodies import job_fields, read_jobs
from eaas_daemon.api.packs import PackStore
from eaas_daemon.core.body_hash import body_hash


def test_every_mistake_of_every_job_of_a_batch_is_named_with_its_place(tmp_path: Path) -> None:
    jobs: list[dict[str, object]] = [{"image": "a"}, {"image": "a", "gpu": 1, "priority": "x"}, {}]

    with pytest.raises(Invalid) as refusal:
        read_jobs(jobs, PackStore(tmp_path))

    assert [error.field for error in refusal.value.errors] == [
        "jobs[1].gpu",
        "jobs[1].priority",
        "jobs[2]",
    ]


def test_the_order_of_keys_is_not_part_of_a_body() -> None:
    one, other = (
        {"image": "a", "env": {"A": "1", "B": "2"}},
        {"env": {"B": "2", "A": "1"}, "image": "a"},
    )

    assert body_hash(one, force=False) == body_hash(other, force=False)
    assert body_hash(one, force=False) != body_hash(one, force=True)
    assert body_hash(one, force=False) != body_hash([one], force=False)


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b'{"a": 1', b"{1: 2}", b"[" * 100_000])
def test_a_body_that_is_no_mapping_is_refused(body: bytes) -> None:
    with pytest.raises(BadMessage):
        job_fields(body)
