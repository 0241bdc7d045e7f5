"""The control link: greets, says what waits in the outbox, hands on what it hears; for ever."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import aiohttp
from aiohttp import WSCloseCode
from msgspec.structs import replace

from eaas.client.trust import not_believed
from eaas.errors import EaasError
from eaas.lives import Obeyed
from eaas.wire.codec import BadMessage, Unsupported
from eaas.wire.from_agent import FROM_AGENT, Beat, Hello
from eaas.wire.to_agent import (
    TO_AGENT,
    Ack,
    AnyToAgent,
    CleanCard,
    Refused,
    SendFiles,
    Wanted,
    Welcome,
)
from eaas_agent.allegiance import refusal
from eaas_agent.cancelled import heed_cancellation
from eaas_agent.clocks import Clocks
from eaas_agent.dial import WRITE_TIMEOUT_S, Backoff, Dial
from eaas_agent.model import Acked, Event, WantedCame, Welcomed
from eaas_agent.outbox import Outbox

PATH: Final = "/agent/v1/link"
BEAT_EVERY_S: Final = 2.0
WELCOME_WITHIN_S: Final = 30.0
REFUSED_RETRY_S: Final = 30.0
GOODBYE: Final = b"stopping"
"""An agent that goes and says so is told apart from one that falls silent."""
CLOSE_OLDER_COPY: Final = 4409
OLDER_COPY: Final = b"this node obeys a later copy of the controller"
SHUT_OUT: Final = (
    "the controller does not take this node's credential (any more); its jobs run on. Let it join "
    "again: mini-eaas agent join --server HOST --token TOKEN"
)

log = logging.getLogger(__name__)


class TurnedAway(EaasError):
    """The controller does not want this agent now; its jobs run on."""

    code = "refused"


class OlderCopy(EaasError):
    """The controller is an older copy of the one that this agent obeys; jobs run on."""

    code = "older_copy"


class NoWelcome(EaasError):
    """The other side is no controller, or does not greet."""

    code = "no_welcome"


class Ears:
    """Where the link puts what it hears."""

    def __init__(
        self,
        *,
        post: Callable[[Event], None],
        send_files: Callable[[SendFiles], None],
        vouched: Callable[[str], None],
        follow_logs: Callable[[str], Coroutine[Any, Any, None]],
    ) -> None:
        """``follow_logs`` keeps a session's log link up until it is cancelled; ``vouched`` takes
        the UUID of a card that a person says is clean."""
        self.post: Final = post
        self.send_files: Final = send_files
        self.vouched: Final = vouched
        self.follow_logs: Final = follow_logs


class Link:
    """One agent's connection to its controller."""

    def __init__(
        self,
        dial: Dial,
        outbox: Outbox,
        ears: Ears,
        *,
        hello: Callable[[], Hello],
        beat: Callable[[float], Beat],
        clocks: Clocks,
        backoff: Backoff,
        rng: random.Random,
    ) -> None:
        """``beat`` takes the event loop's lag in seconds."""
        self._dial = dial
        self._outbox = outbox
        self._ears = ears
        self._hello = hello
        self._beat = beat
        self._clocks = clocks
        self._backoff = backoff
        self._rng = rng
        self.is_up = False
        """The controller has welcomed this agent and is still there."""
        self._healthy_since: float | None = None
        self._said = ""

    async def run(self) -> None:
        """Connect, stay connected, and come back whenever the connection ends."""
        while True:
            pause_s = await self._once()
            await asyncio.sleep(pause_s)

    async def _once(self) -> float:
        """Hold one connection until it ends and return how long to wait before the next."""
        self._healthy_since = None
        refused, wait_s = False, 0.0
        try:
            await self._connection()
        except* aiohttp.WSServerHandshakeError as errors:
            refused = _is_shut_out(errors)
            if refused:
                self._say_once(SHUT_OUT, logging.WARNING)
            else:
                wait_s = _asked_to_wait_s(errors)
                self._say_once(_reason(errors))
        except* aiohttp.ClientConnectorCertificateError as errors:
            self._say_once(_not_the_controller(self._dial.address.url, errors), logging.ERROR)
        except* OlderCopy as errors:
            refused = True
            self._say_once(_reason(errors), logging.ERROR)
        except* TurnedAway as errors:
            refused = True
            log.warning("the controller refuses this agent: %s", _reason(errors))
        except* (EaasError, aiohttp.ClientError, OSError) as errors:
            self._say_once(_reason(errors))
        heed_cancellation()
        if refused:
            return self._rng.uniform(REFUSED_RETRY_S / 2, REFUSED_RETRY_S)
        return wait_s * self._rng.uniform(1.0, 2.0) + self._backoff.next_s(self._healthy_for_s())

    def _say_once(self, reason: str, level: int = logging.INFO) -> None:
        """Log why there is no link, but not again at every try of one outage."""
        if reason != self._said:
            self._said = reason
            log.log(level, "no link to %s: %s; trying again", self._dial.address, reason)

    def _healthy_for_s(self) -> float:
        if self._healthy_since is None:
            return 0.0
        return asyncio.get_running_loop().time() - self._healthy_since

    async def _connection(self) -> None:
        async with self._dial.websocket(PATH) as websocket:
            hello = self._hello()
            self._clocks.asked()
            await _send(websocket, FROM_AGENT.encode(hello))
            welcome = await _welcome(websocket)
            self._clocks.answered(welcome.server_time)
            await self._obey_no_copy(websocket, hello, welcome)
            log.info("linked to %s", self._dial.address)
            self._said = ""
            self._healthy_since = asyncio.get_running_loop().time()
            self._ears.post(
                Welcomed(
                    epoch=welcome.epoch,
                    life=welcome.life,
                    life_seq=welcome.life_seq,
                    acked_seq=welcome.acked_seq,
                )
            )
            self._outbox.connected(welcome.acked_seq)
            self.is_up = True
            try:
                async with _beside(
                    self._write(websocket),
                    self._beats(),
                    self._ears.follow_logs(welcome.session),
                ):
                    await self._read(websocket, welcome)
            except asyncio.CancelledError:
                await websocket.close(code=WSCloseCode.GOING_AWAY, message=GOODBYE)
                raise
            finally:
                self.is_up = False
                self._outbox.disconnected()

    async def _obey_no_copy(
        self, websocket: aiohttp.ClientWebSocketResponse, hello: Hello, welcome: Welcome
    ) -> None:
        """Leave a controller that is an older copy of the one that was obeyed before."""
        obeyed = Obeyed(epoch=hello.epoch, life=hello.life, seq=hello.life_seq)
        if (why := refusal(obeyed, welcome)) is not None:
            await websocket.close(code=CLOSE_OLDER_COPY, message=OLDER_COPY)
            raise OlderCopy(why)

    async def _read(self, websocket: aiohttp.ClientWebSocketResponse, welcome: Welcome) -> None:
        async for message in websocket:
            if message.type is not aiohttp.WSMsgType.BINARY:
                continue
            try:
                self._hear(TO_AGENT.decode(message.data), welcome)
            except Unsupported as error:
                log.warning("the controller says something newer than this agent: %s", error)
        log.info("the controller closed the link (%s)", websocket.close_code)

    def _hear(self, message: AnyToAgent, welcome: Welcome) -> None:
        match message:
            case Wanted():
                self._ears.post(WantedCame(wanted=message, epoch=welcome.epoch, life=welcome.life))
            case Ack(seq=seq) if message.spool_id == self._outbox.spool.spool_id:
                self._outbox.spool.acked(seq)
                self._outbox.wake()
                self._ears.post(Acked(seq=seq))
            case SendFiles():
                self._ears.send_files(message)
            case CleanCard(uuid=uuid):
                self._ears.vouched(uuid)
            case Refused(text=text):
                raise TurnedAway(text)
            case _:
                log.warning("the controller says %s where it has no place", type(message).__name__)

    async def _write(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            for message in await self._outbox.next_messages():
                await _send(websocket, FROM_AGENT.encode(message))

    async def _beats(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            beat = self._beat(max(0.0, loop.time() - due))
            self._outbox.say(replace(beat, clock_ahead_s=self._clocks.ahead_s()))
            due = loop.time() + BEAT_EVERY_S
            await asyncio.sleep(BEAT_EVERY_S)


def _is_shut_out(errors: BaseExceptionGroup[aiohttp.WSServerHandshakeError]) -> bool:
    return any(
        isinstance(error, aiohttp.WSServerHandshakeError) and error.status in (401, 403)
        for error in errors.exceptions
    )


def _asked_to_wait_s(errors: BaseExceptionGroup[aiohttp.WSServerHandshakeError]) -> float:
    """Return for how long the controller, which has its hands full, asks to be left alone."""
    for error in errors.exceptions:
        if isinstance(error, aiohttp.WSServerHandshakeError) and error.headers is not None:
            with suppress(ValueError):
                return min(REFUSED_RETRY_S, max(0.0, float(error.headers.get("Retry-After", "0"))))
    return 0.0


def _not_the_controller(
    url: str, errors: BaseExceptionGroup[aiohttp.ClientConnectorCertificateError]
) -> str:
    first = errors.exceptions[0]
    assert isinstance(first, aiohttp.ClientConnectorCertificateError)
    return f"{not_believed(url, first).sentence}. Its jobs run on"


@asynccontextmanager
async def _beside(*coroutines: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run the coroutines while the block runs; the first error ends all of it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(coroutine) for coroutine in coroutines]
        yield
        for task in tasks:
            task.cancel()


async def _send(websocket: aiohttp.ClientWebSocketResponse, data: bytes) -> None:
    async with asyncio.timeout(WRITE_TIMEOUT_S):
        await websocket.send_bytes(data)


async def _welcome(websocket: aiohttp.ClientWebSocketResponse) -> Welcome:
    async with asyncio.timeout(WELCOME_WITHIN_S):
        message = await websocket.receive()
    if message.type is not aiohttp.WSMsgType.BINARY:
        raise NoWelcome(f"the controller closed the link without a greeting ({message.data})")
    try:
        match TO_AGENT.decode(message.data):
            case Welcome() as welcome:
                return welcome
            case Refused(text=text):
                raise TurnedAway(text)
            case other:
                raise NoWelcome(f"the controller began with {type(other).__name__}")
    except BadMessage as error:
        raise NoWelcome(f"what answers is no controller: {error}") from error


def _reason(errors: BaseExceptionGroup[BaseException]) -> str:
    first: BaseException = errors
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return str(first) or type(first).__name__
