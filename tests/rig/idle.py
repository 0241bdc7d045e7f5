"""Who waits though there is room: nobody may, after any step."""

from eaas_daemon.core.ask import shape_of
from eaas_daemon.core.fit import refusal
from eaas_daemon.core.gates import gate
from eaas_daemon.core.making_room import held
from eaas_daemon.core.model import Job
from eaas_daemon.core.promised import cap_kept
from eaas_daemon.core.reserve import kept_from, kept_rooms
from eaas_daemon.core.state import State


def who_could_start(state: State, now: float) -> list[Job]:
    """Return the jobs that could be placed: of those alike the first, and whom room is kept for."""
    found, tally, rooms = [], held(state), kept_rooms(state, now)
    for pool in state.pools.values():
        kept = state.reservations.get(pool.name)
        firsts = [state.jobs[turns[0].uid] for turns in state.line.groups(pool.name).values()]
        for job in [*firsts, *([] if kept is None else [state.jobs[kept.uid]])]:
            shape = shape_of(job)
            if (
                gate(shape, state.queues[shape.ref], pool, tally) is None
                and cap_kept(state, job, shape, kept, tally) is None
            ):
                here = [rooms[name] for name in pool.members if name in rooms]
                could = sum(
                    refusal(room, shape.ask, pool) is None
                    and kept_from(state, room, job, shape, now) is None
                    for room in here
                )
                found += [job] if could >= shape.ask.num_nodes else []
    return found
