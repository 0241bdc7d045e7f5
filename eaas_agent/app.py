"""The agent put together: everything is constructed here and nowhere else."""

import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import msgspec

from eaas.ids import new_uid
from eaas.wire.codec import PROTOCOL_MAX, PROTOCOL_MIN
from eaas.wire.from_agent import Hello
from eaas_agent.accounts import people_of
from eaas_agent.at_work import AtWork
from eaas_agent.attempts import Runners
from eaas_agent.card_desk import SIMULATED_RULES, CardDesk
from eaas_agent.cards.choice import open_cards
from eaas_agent.cards.port import Cards
from eaas_agent.cards.verdict import DEFAULT_RULES
from eaas_agent.changes import Changes
from eaas_agent.clocks import Clocks
from eaas_agent.config import AgentConfig
from eaas_agent.dial import Dial, backoff_for
from eaas_agent.engine import Engine, Inbox, node_from
from eaas_agent.files import FileSender
from eaas_agent.housekeeping import CardWatch, Housekeeping
from eaas_agent.inventory import Surroundings
from eaas_agent.joining import admitted, keep_fresh
from eaas_agent.ledger import Ledger, Recovered
from eaas_agent.link import Ears, Link
from eaas_agent.log_link import LogLink
from eaas_agent.log_pump import LogPump
from eaas_agent.machine import Machine, read_machine
from eaas_agent.mount_check import places_of
from eaas_agent.mounts import Mounts
from eaas_agent.outbox import Outbox
from eaas_agent.packs import pack_fetcher
from eaas_agent.passport import Passport
from eaas_agent.place import KEY as PLACE
from eaas_agent.place import place_of, refuse_a_copy
from eaas_agent.preparation import Preparation
from eaas_agent.runtime_choice import Chosen, Makers, choose, makers
from eaas_agent.spool import Spool
from eaas_agent.state_folder import held_state_folder
from eaas_agent.workspace import Workspaces

_BOUND_TO: Final = "runtime"
"""Under this the ledger remembers which kind of runtime the attempts are on."""


def since_boot() -> float:
    """Return the seconds since the machine's boot, sleep included; every process has the same."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is built from, beside its configuration; a test gives others."""

    environ: Mapping[str, str]
    machine: Callable[[], Machine] = read_machine
    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    uptime: Callable[[], float] = since_boot
    rng: random.Random = msgspec.field(default_factory=random.Random)
    runtimes: Callable[[Path, str, Mapping[str, str], str | None], Makers] = makers
    """Takes the state folder, the agent's id, the environment and the images' mirror."""


Attend = Callable[[AtWork], Coroutine[Any, Any, None]]


async def unattended(agent: AtWork) -> None:
    """Leave a working agent to itself."""


async def serve(config: AgentConfig, given: Given, attend: Attend = unattended) -> None:
    """Run an agent until cancelled; ``attend`` runs beside it from when it works."""
    with (
        held_state_folder(config.state_dir) as state_dir,
        Ledger(state_dir / "ledger.db") as ledger,
    ):
        recovered = ledger.recover()
        make = given.runtimes(state_dir, recovered.node_uid, given.environ, config.image_mirror)
        live = any(attempt.live for attempt in recovered.attempts)
        place = place_of(state_dir, given.machine().boot_id)
        refuse_a_copy(ledger.meta(PLACE), place, has_live=live)
        chosen = await choose(
            config.runtime, make, bound_to=ledger.meta(_BOUND_TO) if live else None
        )
        cards = open_cards(config.simulate, config.name, env=given.environ)
        try:
            await _remember(ledger, {_BOUND_TO: chosen.kind, PLACE: place.text})
            await cards.start()
            passport = await admitted(
                config.address,
                node=config.name,
                node_uid=recovered.node_uid,
                state_dir=state_dir,
                now=given.clock,
            )
            async with Dial(config.address if passport is None else passport.address) as dial:
                agent = Agent(config, given, ledger=ledger, recovered=recovered, dial=dial)
                await agent.work(chosen, cards, attend, passport)
        finally:
            await cards.close()
            await chosen.runtime.close()


async def _remember(ledger: Ledger, values: Mapping[str, str]) -> None:
    changes = Changes()
    changes.meta.update(values)
    await ledger.commit(changes)


class Agent:
    """One agent's parts, alive."""

    def __init__(
        self,
        config: AgentConfig,
        given: Given,
        *,
        ledger: Ledger,
        recovered: Recovered,
        dial: Dial,
    ) -> None:
        self._config = config
        self._given = given
        self._ledger = ledger
        self._recovered = recovered
        self._dial = dial
        self._machine = given.machine()
        self._inbox = Inbox()
        self._outbox = Outbox(
            Spool(recovered.spool_id, last_seq=recovered.last_seq, lookup=ledger.facts_after),
            monotonic=given.monotonic,
        )
        self._workspaces = Workspaces(
            config.state_dir / "workspaces", pack_fetcher(dial, config.state_dir)
        )

    async def work(
        self, chosen: Chosen, cards: Cards, attend: Attend, passport: Passport | None
    ) -> None:
        """Run everything until cancelled; the passport is renewed meanwhile."""
        given, post = self._given, self._inbox.post
        self._workspaces.open(passable=chosen.kind == "process")
        rules = SIMULATED_RULES if self._config.simulate else DEFAULT_RULES
        desk = CardDesk(rules, self._config.sharing)
        mounts = Mounts(self._config.mounts, places_of(self._config.state_dir, os.geteuid()))
        around = self._surroundings(desk, cards, mounts)
        engine = self._engine(around)
        keeping = Housekeeping(
            chosen,
            around,
            mounts,
            ledger=self._ledger,
            workspaces=self._workspaces,
            post=post,
            say=self._outbox.say,
            clock=given.clock,
        )
        watch = CardWatch(
            cards,
            desk,
            attempts=engine.attempts,
            beat=around.beat,
            say=self._outbox.say,
        )
        watch.claims_changed()
        await keeping.first_look()
        async with asyncio.TaskGroup() as group:
            pump = LogPump(chosen.runtime, group, post, given.clock)
            prepare = self._preparation(chosen, cards, keeping)
            runners = self._runners(chosen, prepare, group, pump, around)
            link = self._link(group, pump, engine, around, watch)
            group.create_task(engine.run(runners, pump, watch.claims_changed))
            group.create_task(keeping.survey())
            group.create_task(keeping.run())
            group.create_task(watch.run())
            group.create_task(link.run())
            if passport is not None:
                place = self._config.state_dir
                group.create_task(keep_fresh(passport, self._dial, place, given.clock))
            at_work = AtWork(
                name=self._config.name,
                engine=engine,
                progress=self._inbox.progress,
                around=around,
                mounts=mounts,
                prepare=prepare,
                keeping=keeping,
                link=link,
            )
            group.create_task(attend(at_work))

    def _engine(self, around: Surroundings) -> Engine:
        return Engine(
            node_from(self._recovered, self._machine, self._config.keep_s),
            self._inbox,
            ledger=self._ledger,
            outbox=self._outbox,
            clock=self._given.clock,
            uptime=self._given.uptime,
            ledger_full=around.ledger_is_full,
        )

    def _surroundings(self, desk: CardDesk, cards: Cards, mounts: Mounts) -> Surroundings:
        return Surroundings(
            self._machine,
            desk,
            cpus=self._config.cpus,
            mounts=mounts.told,
            labels=self._config.labels,
            cards=cards.picture,
            clock=self._given.clock,
            people=people_of(os.geteuid()),
            reach=self._config.reach,
        )

    def _preparation(self, chosen: Chosen, cards: Cards, keeping: Housekeeping) -> Preparation:
        return Preparation(
            self._workspaces,
            cards=cards.picture,
            inside=chosen.inside,
            mounts=keeping.binds,
            log_cap_mib=self._config.log_cap_mib,
        )

    def _runners(
        self,
        chosen: Chosen,
        prepare: Preparation,
        group: asyncio.TaskGroup,
        pump: LogPump,
        around: Surroundings,
    ) -> Runners:
        return Runners(
            chosen.runtime,
            group=group,
            post=self._inbox.post,
            prepare=prepare,
            pump=pump,
            outbox=self._outbox,
            unkillable=around.unkillable,
        )

    def _link(
        self,
        group: asyncio.TaskGroup,
        pump: LogPump,
        engine: Engine,
        around: Surroundings,
        watch: CardWatch,
    ) -> Link:
        rng = self._given.rng
        files = FileSender(
            self._dial, group=group, workspace=self._workspaces.path, say=self._outbox.say
        )
        log_link = LogLink(
            self._dial,
            pump,
            self._recovered.node_uid,
            backoff=lambda: backoff_for(self._dial.address, rng),
        )
        return Link(
            self._dial,
            self._outbox,
            Ears(
                post=self._inbox.post,
                send_files=files.send,
                vouched=watch.vouched,
                follow_logs=log_link.follow,
            ),
            hello=self._greeting(engine, around),
            beat=around.beat,
            clocks=Clocks(self._given.clock, self._given.monotonic),
            backoff=backoff_for(self._dial.address, rng),
            rng=rng,
        )

    def _greeting(self, engine: Engine, around: Surroundings) -> Callable[[], Hello]:
        instance, build = new_uid(), _version()
        spool = self._outbox.spool

        def hello() -> Hello:
            return Hello(
                protocol_min=PROTOCOL_MIN,
                protocol_max=PROTOCOL_MAX,
                version=build,
                node=self._config.name,
                node_uid=self._recovered.node_uid,
                instance=instance,
                boot_id=self._machine.boot_id,
                epoch=engine.obeyed.epoch,
                life=engine.obeyed.life,
                life_seq=engine.obeyed.seq,
                spool_id=spool.spool_id,
                last_seq=spool.last_seq,
                inventory=around.inventory(),
                held=engine.held(),
            )

        return hello


def _version() -> str:
    try:
        return version("mini-eaas")
    except PackageNotFoundError:
        return "0"
