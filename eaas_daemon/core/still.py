"""A state as it stands at one moment, to be looked at, or played with, while the other goes on."""

from copy import copy

from eaas_daemon.core.archive import NoArchive
from eaas_daemon.core.aside import Aside
from eaas_daemon.core.groups import Groups
from eaas_daemon.core.line import Line
from eaas_daemon.core.state import State
from eaas_daemon.core.tally import Tally


def still(state: State) -> State:
    """Return all of the state as it stands now.

    The values are the same, the dictionaries are not. It has no archive: jobs that have ended are
    not in it, and what happens to it is never stored.
    """
    twin = copy(state)
    for name, value in vars(state).items():
        if isinstance(value, dict | list | set | Tally):
            setattr(twin, name, value.copy())
        elif isinstance(value, Line | Aside | Groups):
            setattr(twin, name, value.still())
    twin.placed = {node: jobs.copy() for node, jobs in state.placed.items()}
    twin.arrived = {pool: set(shapes) for pool, shapes in state.arrived.items()}
    twin.archive = NoArchive()
    return twin
