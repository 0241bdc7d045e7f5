"""When unreachable objects are looked for: while nobody presses a key.

A full collection looks at everything that came since the last ``gc.freeze``, and holds the console
up for as long as a draw does. Drawing leaves many small objects behind, so Python's own measure
would begin one every few seconds, mostly while keys are pressed.
"""

import gc
from typing import Final

THRESHOLDS: Final = (5000, 5, 20)
"""Objects, and how many collections of the young before one of the older: with these, a key that
is held down for most of a minute comes to a full one."""
LOOK_EVERY_S: Final = 10.0
REST_S: Final = 2.0
"""How long no key was pressed before it is a good moment."""


def begin() -> None:
    """Leave out what is there already, and look rarely at the rest."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def clear(rested_s: float) -> bool:
    """Collect everything if there may be something, after so long without a key; tell whether."""
    is_due = gc.get_count()[2] > 0 and rested_s >= REST_S
    if is_due:
        gc.collect()
    return is_due
