"""Where the console's picture comes from: a controller, or a recording of one.

Imported after the first paint, because the client library takes as long as everything before it.
"""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from eaas.client import Client, address_from
from eaas.errors import EaasError, Unreachable
from eaas_tui import feed as ear
from eaas_tui import openssl
from eaas_tui.recording import Recorder, ReplayClock, read_recording, replay

if TYPE_CHECKING:
    from eaas_tui.app import ConsoleApp


async def feed(app: "ConsoleApp") -> None:
    """Follow what the console was started with, until it ends; a wrong start ends it."""
    try:
        await (_follow(app) if app.arguments.replay is None else _replay(app))
    except EaasError as error:
        app.failure = error.sentence
        app.exit(return_code=2)


async def _follow(app: "ConsoleApp") -> None:
    asked = app.arguments
    address = address_from(app.environ, server=asked.server, token=asked.token)
    if address.socket is None and openssl.is_left_out():
        raise Unreachable("the controller of this machine has just ended; start the console again")
    with ExitStack() as stack:
        recorder = None
        if asked.record is not None:
            recorder = stack.enter_context(Recorder(asked.record, app.recording_ended))
        async with Client(address) as client:
            app.client = client
            try:
                await ear.follow(client, app.store, app.picture_changed, recorder=recorder)
            finally:
                app.client = None


async def _replay(app: "ConsoleApp") -> None:
    file = app.arguments.replay
    assert file is not None, "asked only with a file"
    clock = ReplayClock()
    app.clock = clock.now
    await replay(read_recording(file), app.store, app.picture_changed, clock, name=file.name)
