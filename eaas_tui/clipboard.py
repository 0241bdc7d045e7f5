"""Where copied text goes: to the terminal, and under tmux to its buffer too.

tmux passes on what an application copies only when it is told to; its own buffer it always has.
"""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from typing import Any, Final

from textual.app import App

PATIENCE_S: Final = 2.0
"""A tmux that has not taken the text by then does not count."""


async def copy(app: App[Any], text: str, *, said: str) -> None:
    """Copy the text, and say so with where it went."""
    app.copy_to_clipboard(text)
    too = " (tmux buffer too)" if await asyncio.to_thread(hand_to_tmux, text, os.environ) else ""
    app.notify(f"{said}{too}", markup=False)


def hand_to_tmux(text: str, environ: Mapping[str, str]) -> bool:
    """Put the text into the buffer of the tmux that this runs in; False where that can't be."""
    if not environ.get("TMUX"):
        return False
    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"],
            input=text.encode(),
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
