"""Routes of jobs: submit, look, steer."""

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from eaas.errors import EaasError, FieldError, Invalid, NeverFits, NotYours
from eaas.ids import PoolName
from eaas.job_ref import JobRef
from eaas.job_spec import JobSpec
from eaas.views import JobView
from eaas.wire.rest import BatchAnswer, CancelJob, KeepJob, PatchJob, SubmitBatch
from eaas_daemon.api.arrays import done_to_tasks, means_several, spokesman
from eaas_daemon.api.bodies import (
    decode,
    json_body,
    named,
    query_flag,
    read_body,
    read_optional_body,
)
from eaas_daemon.api.job_bodies import in_batch, job_fields, read_job, read_jobs
from eaas_daemon.api.parts import Parts, answer, caller_of
from eaas_daemon.api.private import is_private_to, job_for
from eaas_daemon.core import events as e
from eaas_daemon.core.arrays import job_named
from eaas_daemon.core.body_hash import body_hash
from eaas_daemon.core.dry_run import dry_run, first_refused, refused
from eaas_daemon.core.model import Job
from eaas_daemon.core.on_jobs import Replayed

MAX_BATCH_JOBS = 1000
MAX_KEY_CHARS = 200


class JobRoutes:
    """``/api/v1/jobs`` and what is below it, but for lists, logs and files."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._engine = parts.engine

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        job = "/api/v1/jobs/{id}"
        return [
            web.post("/api/v1/jobs", self.submit),
            web.post("/api/v1/jobs:batch", self.submit_batch),
            web.post("/api/v1/jobs:dry-run", self.dry_run),
            web.get(job, self.show, allow_head=False),
            web.get(f"{job}/why", self.why, allow_head=False),
            web.patch(job, self.patch),
            web.post(f"{job}/cancel", self.cancel),
            web.post(f"{job}/retry", self.retry),
            web.post(f"{job}/top", self.top),
            web.post(f"{job}/keep", self.keep),
        ]

    # --- submit

    async def submit(self, request: web.Request) -> web.Response:
        """Take one job."""
        fields = job_fields(await json_body(request))
        spec = read_job(fields, self._parts.packs)
        jobs, status = await self._submitted(request, (spec,), fields)
        return answer(self._views(jobs, caller_of(request))[0], status)

    async def submit_batch(self, request: web.Request) -> web.Response:
        """Take all of the jobs or none."""
        batch = decode(await json_body(request), SubmitBatch)
        if not 1 <= len(batch.jobs) <= MAX_BATCH_JOBS:
            message = f"jobs: a batch has 1 to {MAX_BATCH_JOBS} jobs, not {len(batch.jobs)}"
            raise Invalid((FieldError(field="jobs", message=message),))
        specs = read_jobs(batch.jobs, self._parts.packs)
        try:
            jobs, status = await self._submitted(request, specs, batch.jobs)
        except (Invalid, NeverFits) as refusal:
            raise self._placed_in_batch(request, specs, refusal) from refusal
        return answer(BatchAnswer(items=self._views(jobs, caller_of(request))), status)

    async def _submitted(
        self, request: web.Request, specs: tuple[JobSpec, ...], content: object
    ) -> tuple[Sequence[Job], int]:
        key, force = request.headers.get("Idempotency-Key"), query_flag(request, "force")
        if key is not None and not 1 <= len(key) <= MAX_KEY_CHARS:
            message = f"Idempotency-Key: takes 1 to {MAX_KEY_CHARS} characters, not {len(key)}"
            raise Invalid((FieldError(field="Idempotency-Key", message=message),))
        event = e.Submit(
            caller=caller_of(request),
            specs=specs,
            force=force,
            key=key,
            body_hash=b"" if key is None else body_hash(content, force=force),
        )
        try:
            return await self._engine.ask(event), 201
        except Replayed as replayed:
            known = [self._engine.state.job_by_number(number) for number in replayed.row.jobs]
            return [job for job in known if job is not None], 200

    def _placed_in_batch(
        self, request: web.Request, specs: tuple[JobSpec, ...], refusal: EaasError
    ) -> EaasError:
        """Return the core's refusal with the place of the job that it is about."""
        index = first_refused(
            self._engine.state,
            specs,
            caller_of(request),
            self._parts.clock.now(),
            force=query_flag(request, "force"),
        )
        if isinstance(refusal, Invalid):
            return Invalid(in_batch(index, refusal))
        return type(refusal)(f"jobs[{index}]: {refusal.sentence}")

    async def dry_run(self, request: web.Request) -> web.Response:
        """Say what would become of a job."""
        fields, state = job_fields(await json_body(request)), self._engine.state
        try:
            spec = read_job(fields, self._parts.packs)
        except Invalid as refusal:
            return answer(refused(state, refusal))
        return answer(dry_run(state, spec, caller_of(request), self._parts.clock.now()))

    # --- look

    async def show(self, request: web.Request) -> web.Response:
        """Show one job."""
        job, painter = known_job(self._parts, request), self._engine.painter()
        return answer(job_for(caller_of(request), painter, job))

    async def why(self, request: web.Request) -> web.Response:
        """Say why the job stands where it stands."""
        job = spokesman(self._engine.state, request, known_job(self._parts, request))
        return answer(self._engine.painter().explainer.why(job))

    # --- steer

    async def patch(self, request: web.Request) -> web.Response:
        """Change the job's queue, its priority, or both."""
        job = self._meant(request)
        body = await read_body(request, PatchJob)
        if body.priority is None and body.queue is None:
            raise Invalid((FieldError(field="", message="say what to change: priority or queue"),))
        caller = caller_of(request)
        deeds: list[e.Deed] = []
        if body.queue is not None:
            pool, _, queue = body.queue.rpartition("/")
            to = PoolName(pool or job.pool)
            deeds.append(e.Move(caller=caller, number=job.number, pool=to, queue=queue))
        if body.priority is not None:
            deeds.append(e.SetPriority(caller=caller, number=job.number, priority=body.priority))
        return await self._done(request, job, *deeds)

    async def cancel(self, request: web.Request) -> web.Response:
        """End the job; nothing is done to one that has ended."""
        body = await read_optional_body(request, CancelJob)
        if body.grace_s is not None and body.grace_s < 0:
            message = f"grace_s: must be 0 or more, not {body.grace_s:g}"
            raise Invalid((FieldError(field="grace_s", message=message),))
        return await self._asked(request, e.Cancel, grace_s=body.grace_s)

    async def retry(self, request: web.Request) -> web.Response:
        """Let an ended job wait again."""
        return await self._asked(request, e.Retry)

    async def top(self, request: web.Request) -> web.Response:
        """Let the job go before the others of its queue."""
        return await self._asked(request, e.PutOnTop)

    async def keep(self, request: web.Request) -> web.Response:
        """Keep the workspace longer."""
        body = await read_body(request, KeepJob)
        if body.for_s <= 0:
            message = f"for_s: must be more than 0, not {body.for_s:g}"
            raise Invalid((FieldError(field="for_s", message=message),))
        return await self._asked(request, e.Keep, for_s=body.for_s)

    async def _asked(
        self, request: web.Request, kind: type[e.Deed], **settings: Any
    ) -> web.Response:
        job = self._meant(request)
        deed = kind(caller=caller_of(request), number=job.number, **settings)
        return await self._done(request, job, deed)

    def _meant(self, request: web.Request) -> Job:
        """Return the job that the path names, or the first task of the array it is about."""
        ref = named(request)
        is_one = not means_several(self._engine.state, request)
        return job_named(self._engine.state, ref if is_one else JobRef(ref.number))

    async def _done(self, request: web.Request, job: Job, *deeds: e.Deed) -> web.Response:
        """Do it to the one job, or to all the tasks that the path names."""
        if means_several(self._engine.state, request):
            return answer(await done_to_tasks(self._parts, request, *deeds))
        for deed in deeds:
            job = await self._engine.ask(deed)
        return self._seen(job, caller_of(request))

    # --- show

    def _seen(self, job: Job, caller: e.Caller) -> web.Response:
        return answer(self._views([job], caller)[0])

    def _views(self, jobs: Sequence[Job], caller: e.Caller) -> list[JobView]:
        """Draw the jobs as they are by now, which may be later than the answer."""
        painter, current = self._engine.painter(), self._engine.state.jobs
        return [job_for(caller, painter, current.get(job.uid, job)) for job in jobs]


def known_job(parts: Parts, request: web.Request) -> Job:
    """Return the job that the path names, ended or not."""
    return job_named(parts.engine.state, named(request))


def own_job(parts: Parts, request: web.Request) -> Job:
    """Return the job that the path names, which must be the caller's unless that is an admin."""
    job, caller = known_job(parts, request), caller_of(request)
    if not is_private_to(job, caller):
        raise NotYours(f"job {job.called} belongs to {job.user}, and you are {caller.user}")
    return job
