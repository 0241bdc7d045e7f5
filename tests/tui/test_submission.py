from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from eaas.client import Address, Client
from eaas.errors import FieldError, Invalid, NeverFits
from eaas.packs import packed
from eaas.problem import Problem
from eaas_tui.submission import Accepted, Outcome, Refused, Submission, Unanswered
from tests.rig.stand_in import StandIn, a_job, serving

FIELDS: dict[str, object] = {"command": "true"}


class Sender:
    """A submission and the socket it goes to; keeps what was said on the way."""

    def __init__(self, stand_in: StandIn, socket: Path, key: str | None = None) -> None:
        self.stand_in, self.socket = stand_in, socket
        self.submission = Submission(key)
        self.said: list[str] = []

    async def send(self, fields: dict[str, object] = FIELDS, *, force: bool = False) -> Outcome:
        async with Client(Address(socket=self.socket)) as client:
            return await self.submission.send(client, fields, force=force, say=self.said.append)

    @property
    def submits(self) -> list[tuple[str | None, Any]]:
        asked = self.stand_in.asked
        return [(one.key, one.body) for one in asked if one.path == "/api/v1/jobs"]


@pytest.fixture
def sender(tmp_path: Path) -> Sender:
    stand_in = StandIn()
    stand_in.jobs[1] = a_job(1)
    return Sender(stand_in, tmp_path / "s")


async def test_a_cut_connection_does_not_make_two_jobs_of_one_form(sender: Sender) -> None:
    sender.stand_in.cut_submits = 2

    async with serving(sender.stand_in, sender.socket):
        outcome = await sender.send()

    assert outcome == Accepted(a_job(1))
    assert len(sender.submits) == 3
    assert len({key for key, _ in sender.submits}) == 1


async def test_a_form_that_found_nobody_is_sent_again_under_its_key(sender: Sender) -> None:
    first = await sender.send()
    async with serving(sender.stand_in, sender.socket):
        second = await sender.send()
        third = await sender.send()

    assert isinstance(first, Unanswered)
    assert "no controller answers" in first.text
    assert second == third == Accepted(a_job(1))
    assert len({key for key, _ in sender.submits}) == 1


async def test_a_files_own_key_is_used(tmp_path: Path, sender: Sender) -> None:
    keyed = Sender(sender.stand_in, sender.socket, key="nightly-7")

    async with serving(sender.stand_in, sender.socket):
        await keyed.send()

    assert keyed.submits == [("nightly-7", FIELDS)]


async def test_mistakes_come_back_beside_their_fields(sender: Sender) -> None:
    mistake = FieldError(field="queue", message="queue: there is no queue x")
    sender.stand_in.answers["POST /api/v1/jobs"] = Invalid((mistake,))

    async with serving(sender.stand_in, sender.socket):
        outcome = await sender.send()

    assert isinstance(outcome, Refused)
    assert outcome.mistakes == {"queue": "there is no queue x"}


async def test_what_never_fits_may_be_submitted_all_the_same(sender: Sender) -> None:
    sender.stand_in.answers["POST /api/v1/jobs"] = NeverFits("no card is so large")

    async with serving(sender.stand_in, sender.socket):
        refused = await sender.send()
        del sender.stand_in.answers["POST /api/v1/jobs"]
        await sender.send(force=True)

    assert refused == Refused("no card is so large", {}, may_force=True)
    assert [one.query for one in sender.stand_in.asked] == [{}, {"force": "1"}]


async def test_a_key_that_stands_for_another_body_is_given_up(sender: Sender) -> None:
    problem = Problem(
        type="", title="", status=422, detail="used with another body",
        code="idempotency_key_reused",
    )  # fmt: skip
    sender.stand_in.answers["POST /api/v1/jobs"] = _answering(problem)

    async with serving(sender.stand_in, sender.socket):
        refused = await sender.send()
        await sender.send()

    assert isinstance(refused, Refused)
    assert "accepted before it was changed" in refused.text
    assert len({key for key, _ in sender.submits}) == 2


async def test_a_folder_is_packed_once_and_sent_by_its_name(tmp_path: Path, sender: Sender) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "train.py").write_text("print()")
    with packed(folder) as pack:
        sender.stand_in.answers[f"PUT /api/v1/packs/{pack.hash}"] = {}

    fields = {**FIELDS, "with": str(folder)}
    async with serving(sender.stand_in, sender.socket):
        await sender.send(fields)
        (folder / "train.py").write_text("changed")
        await sender.send(fields)

    ((_, first), (_, second)) = sender.submits
    assert first == second
    assert first == {**FIELDS, "with": pack.hash}
    assert sender.said == [
        f"packing {folder}",
        f"uploading {folder}: 1MiB",
        "submitting",
        "submitting",
    ]


async def test_a_folder_that_is_not_there_is_a_refusal(sender: Sender) -> None:
    async with serving(sender.stand_in, sender.socket):
        outcome = await sender.send({**FIELDS, "with": "/no/such/folder"})

    assert outcome == Refused("there is no folder /no/such/folder")
    assert sender.submits == []


def _answering(problem: Problem) -> Callable[[web.Request], Any]:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=msgspec.json.encode(problem),
            status=problem.status,
            content_type="application/problem+json",
        )

    return answer
