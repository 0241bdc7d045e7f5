"""Routes of what nodes and cards did: lately, and over a whole run."""

import asyncio
from typing import Final

from aiohttp import web

from eaas.errors import NotFound
from eaas.ids import NodeName
from eaas.sample_views import CardRunView, CardSamplesView, JobSamplesView, NodeSamplesView
from eaas.units import utc_text
from eaas.views import Page
from eaas_daemon.api.bodies import query_int
from eaas_daemon.api.jobs import known_job
from eaas_daemon.api.parts import Parts, answer
from eaas_daemon.core.admin import node_named
from eaas_daemon.core.model import Job
from eaas_daemon.core.recent_samples import EVERY_S, NodeRecent
from eaas_daemon.core.run_samples import FIRST_EVERY_S, CardRun, RunSamples

CPU_MILLI: Final = 1000
NODES_AT_ONCE: Final = 16
"""So many are drawn before others get their turn."""


class SampleRoutes:
    """``/api/v1/samples``, and ``samples`` of one node and of one job."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.get("/api/v1/samples", self.every, allow_head=False),
            web.get("/api/v1/nodes/{node}/samples", self.of_node, allow_head=False),
            web.get("/api/v1/jobs/{id}/samples", self.of_job, allow_head=False),
        ]

    async def every(self, request: web.Request) -> web.Response:
        """Show the last quarter of an hour of every node."""
        views = []
        for place, name in enumerate(sorted(self._parts.engine.state.nodes), start=1):
            views.append(self._node(name))
            if place % NODES_AT_ONCE == 0:
                await asyncio.sleep(0)
        return answer(Page(views))

    async def of_node(self, request: web.Request) -> web.Response:
        """Show the last quarter of an hour of one node."""
        node = node_named(self._parts.engine.state, request.match_info["node"])
        return answer(self._node(node.name))

    def _node(self, name: NodeName) -> NodeSamplesView:
        return node_samples_view(name, self._parts.sampler.recent(name), self._parts.clock.now())

    async def of_job(self, request: web.Request) -> web.Response:
        """Show the whole run of an attempt, the newest one unless another is asked for."""
        job = known_job(self._parts, request)
        count = len(job.attempts)
        number = query_int(request, "attempt", count, least=0)
        if number > count or (number == 0 and count > 0):
            raise NotFound(f"job {job.called} has no attempt {number}; it has had {count}")
        run = await self._parts.sampler.of_run(job.uid, number) if number else None
        return answer(job_samples_view(job, number, run, self._parts.clock.now()))


def node_samples_view(name: str, recent: NodeRecent, now: float) -> NodeSamplesView:
    """Return what the node did lately, all of it on one axis of time."""
    window = recent.window(now)
    first, last = window or (0, -1)
    cpus = recent.cpus_milli.between(first, last)
    return NodeSamplesView(
        node=name,
        at=utc_text(now),
        begin_at=None if window is None else utc_text(first * EVERY_S),
        every_s=EVERY_S,
        cpus_used=tuple(None if milli is None else milli / CPU_MILLI for milli in cpus),
        memory_used_mib=recent.memory.between(first, last),
        cards=tuple(
            CardSamplesView(
                uuid=card.uuid,
                utilization_pct=card.utilization.between(first, last),
                memory_used_mib=card.memory.between(first, last),
            )
            for card in recent.cards.values()
        ),
    )


def job_samples_view(job: Job, attempt: int, run: RunSamples | None, now: float) -> JobSamplesView:
    """Return what the attempt's cards did; without cards when nothing is known of that."""
    indexes: dict[str, int] = {c.uuid: c.index for each in job.attempts for c in each.cards}
    known = () if run is None else tuple(run.cards.values())
    return JobSamplesView(
        job=job.number,
        attempt=attempt,
        at=utc_text(now),
        begin_at=None if run is None else utc_text(run.begin),
        every_s=FIRST_EVERY_S if run is None else run.every_s,
        cards=tuple(_card_run(card, indexes.get(card.uuid)) for card in known),
    )


def _card_run(card: CardRun, index: int | None) -> CardRunView:
    return CardRunView(
        uuid=card.uuid,
        index=index,
        memory_total_mib=card.memory_total_mib,
        utilization_pct=card.utilization.means(),
        utilization_max_pct=card.utilization.tops(),
        memory_used_mib=card.memory.means(),
        memory_used_max_mib=card.memory.tops(),
    )
