import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from eaas.tokens import read_token
from eaas_agent import joining
from eaas_agent.dial import Dial
from eaas_agent.joining import keep_fresh
from eaas_agent.passport import Passport, read_passport
from tests.rig.newcomer import (
    DAY_S,
    JOIN,
    NOW,
    RENEW,
    Mishap,
    Newcomer,
    answers,
    cut,
)


class TellingDial(Dial):
    """A dial that tells what it shows."""

    shown: asyncio.Queue[str]

    def show(self, credential: str) -> None:
        super().show(credential)
        self.shown.put_nowait(credential)


@asynccontextmanager
async def renewing(newcomer: Newcomer, passport: Passport) -> AsyncIterator[TellingDial]:
    """Let the passport be renewed, which is due now and then in a day."""
    dial = TellingDial(passport.address)
    dial.shown = asyncio.Queue()
    async with dial:
        assert await dial.shown.get() == passport.credential
        work = asyncio.create_task(
            keep_fresh(passport, dial, newcomer.folder, lambda: NOW + DAY_S),
        )
        try:
            async with asyncio.timeout(10):
                yield dial
        finally:
            work.cancel()
            await asyncio.wait({work})


async def test_a_credential_is_renewed_and_the_old_one_is_good_until_the_new_one_is_used(
    newcomer: Newcomer,
) -> None:
    passport = await newcomer.join(await newcomer.house.token("join"))

    async with renewing(newcomer, passport) as dial:
        new = await dial.shown.get()

    kept = read_passport(newcomer.folder)
    assert kept == msgspec.structs.replace(passport, credential=new, got_at=NOW + DAY_S)
    assert await newcomer.knocks(passport.credential) == 400
    assert await newcomer.knocks(new) == 400  # as an agent does that was restarted meanwhile
    assert await newcomer.knocks(passport.credential) == 401
    assert [each.id for each in newcomer.known()] == [read_token(new).id]


@pytest.mark.parametrize("mishap", [cut, answers(503), answers(401)])
async def test_an_answer_that_is_lost_costs_nothing_but_another_try(
    newcomer: Newcomer,
    monkeypatch: pytest.MonkeyPatch,
    mishap: Mishap,
) -> None:
    monkeypatch.setattr(joining, "TRY_AGAIN_S", 0.0)
    passport = await newcomer.join(await newcomer.house.token("join"))
    newcomer.mishaps += [mishap, mishap]

    async with renewing(newcomer, passport) as dial:
        new = await dial.shown.get()

    assert newcomer.asked == [JOIN, RENEW, RENEW, RENEW]
    assert {each.id for each in newcomer.known()} == {
        read_token(passport.credential).id,
        read_token(new).id,
    }
    assert await newcomer.knocks(new) == 400


async def test_a_new_credential_that_can_not_be_kept_is_not_used(
    newcomer: Newcomer, monkeypatch: pytest.MonkeyPatch, full_disk: list[int]
) -> None:
    monkeypatch.setattr(joining, "TRY_AGAIN_S", 0.0)
    passport = await newcomer.join(await newcomer.house.token("join"))
    full_disk += [errno.ENOSPC, errno.EROFS]

    async with renewing(newcomer, passport) as dial:
        new = await dial.shown.get()
        assert dial.shown.empty()

    assert newcomer.asked == [JOIN, RENEW, RENEW, RENEW]
    kept = read_passport(newcomer.folder)
    assert kept is not None
    assert kept.credential == new
    assert await newcomer.knocks(new) == 400
