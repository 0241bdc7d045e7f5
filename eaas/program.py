"""How a program that runs headless begins and ends: its signals, its exit code, its last words."""

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from eaas.errors import EaasError
from eaas.exit_codes import DONE, REFUSED, USAGE, code_of
from eaas.log_lines import begin_log
from eaas.service_notice import ServiceNotice
from eaas.settings.command_line import Typed, Verb
from eaas.settings.files import candidates
from eaas.settings.keys import Key
from eaas.settings.layers import Settings
from eaas.settings.view import as_json
from eaas.stdout import CannotWrite, say

log = logging.getLogger(__name__)


def obey(
    typed: Typed,
    *,
    program: str,
    keys: Sequence[Key],
    read: Callable[[], Settings],
    serve: Callable[[Settings, ServiceNotice], Coroutine[Any, Any, None]],
    computed: Callable[[Settings], Mapping[str, object]],
    others: Mapping[Verb, Callable[[Settings], Coroutine[Any, Any, int]]] | None = None,
) -> int:
    """Show the settings, or run or do what else was typed with them; return the exit code.

    ``program`` is the word in its file and variables; ``read`` reads its settings; ``computed``
    says what keys that were left out come to on this machine; ``others`` are the verbs that only
    this program has.
    """
    begin_log("info", "auto")
    try:
        settings = read()
    except EaasError as refusal:
        return say_why(refusal, USAGE)
    if typed.verb == "config":
        looked_for, here = candidates(program, os.environ), computed(settings)
        say(as_json(program, keys, settings, looked_for=looked_for, computed=here))
        return DONE
    begin_log(settings["log_level"], settings["log_format"])
    if others is not None and (other := others.get(typed.verb)) is not None:
        return run_program(lambda: other(settings))
    notice = ServiceNotice(os.environ)
    return run_program(lambda: serve(settings, notice))


def run_program(main: Callable[[], Coroutine[Any, Any, int | None]]) -> int:
    """Run to the end and return the exit code; why it failed is a line of the log.

    ``main`` returns the exit code, or nothing when all is well.
    """
    import uvloop  # only here: what does not run needs no loop

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main()) or DONE
    except EaasError as refusal:
        return say_why(refusal, code_of(refusal))
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        log.error("%s%s", where, error.strerror or error)
        return REFUSED
    except KeyboardInterrupt:
        return DONE
    except Exception:
        log.exception("this is a bug; the program can't go on")
        return REFUSED


def say_why(refusal: EaasError, code: int) -> int:
    """Log why the program ends, a sentence a line, and return its exit code."""
    for line in refusal.sentence.splitlines():
        log.error("%s", line)
    return code


def say_unwritten(refusal: CannotWrite) -> int:
    """Log that the program could not say all it had to say, and return its exit code."""
    return say_why(refusal, code_of(refusal))


def on_signals(*, stop: Callable[[], object], reload: Callable[[], object]) -> None:
    """Call these on signals from now on, in the running loop.

    A second SIGTERM or SIGINT ends the process at once: what has been answered is stored.
    """
    asked = False

    def end() -> None:
        nonlocal asked
        if asked:
            os._exit(DONE)
        asked = True
        stop()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, end)
    loop.add_signal_handler(signal.SIGINT, end)
    loop.add_signal_handler(signal.SIGHUP, reload)
