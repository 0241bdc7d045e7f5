"""Arrays over REST: shown as one thing, and steered by their number or by some of their tasks."""

from aiohttp import web

from eaas.array_views import ArrayDone, ArrayView
from eaas.errors import NotFound
from eaas.job_array import JobArray
from eaas_daemon.api.bodies import named, query_flag
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.api.private import job_for
from eaas_daemon.core import events as e
from eaas_daemon.core.array_picture import array_view
from eaas_daemon.core.arrays import is_array, tasks_in_memory
from eaas_daemon.core.model import Job
from eaas_daemon.core.on_tasks import Acted
from eaas_daemon.core.state import State


class ArrayRoutes:
    """``/api/v1/jobs/{id}/array``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the route."""
        return [web.get("/api/v1/jobs/{id}/array", self.show, allow_head=False)]

    async def show(self, request: web.Request) -> web.Response:
        """Show an array as one thing."""
        return answer(_view(self._parts, request, named(request).number))


async def done_to_tasks(parts: Parts, request: web.Request, *deeds: e.Deed) -> ArrayDone:
    """Do all of it to the tasks that the path names, and tell of the last one."""
    indices = named(request).indices or JobArray()
    acted = Acted(array=deeds[0].number, changed=0, left=0)
    for deed in deeds:
        event = e.ToTasks(caller=deed.caller, deed=deed, indices=indices)
        acted = await parts.engine.ask(event)
    array = _view(parts, request, acted.array)
    return ArrayDone(array=array, changed=acted.changed, left=acted.left)


def means_several(state: State, request: web.Request) -> bool:
    """Tell whether the path names an array, or several of its tasks.

    With ``one=1`` a number is that very job, even where it is an array's too.
    """
    ref = named(request)
    if ref.indices is not None:
        return ref.index is None
    if query_flag(request, "one"):
        return False
    first = state.job_by_number(ref.number)
    return first is not None and is_array(first)


def spokesman(state: State, request: web.Request, job: Job) -> Job:
    """Return which task tells why the array waits: the first in line; or the job itself."""
    if not means_several(state, request):
        return job
    return next((one for one in tasks_in_memory(state, job.number) if one.in_line), job)


def _view(parts: Parts, request: web.Request, number: int) -> ArrayView:
    state, painter = parts.engine.state, parts.engine.painter()
    first = state.job_by_number(number)
    if first is None or not is_array(first):
        whole = None if first is None else first.array
        meant = "" if whole is None or first is None or not first.spec.array else f"; {whole} is"
        raise NotFound(f"job {number} is no array{meant}" if first else f"there is no job {number}")
    return array_view(painter, first, job_for(caller_of(request), painter, first))
