"""An agent that works, as whoever attends to it sees it: how it does, and what can be adjusted."""

import msgspec

from eaas.progress import Progress
from eaas_agent.config import AgentConfig
from eaas_agent.engine import Engine
from eaas_agent.housekeeping import Housekeeping
from eaas_agent.inventory import Surroundings
from eaas_agent.link import Link
from eaas_agent.mounts import Mounts
from eaas_agent.preparation import Preparation


class AtWork(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a working agent that answer questions or take new values."""

    name: str
    engine: Engine
    progress: Progress
    around: Surroundings
    mounts: Mounts
    prepare: Preparation
    keeping: Housekeeping
    link: Link

    def adjust(self, config: AgentConfig) -> None:
        """Take over what can change while jobs run; it counts for jobs that come from now on."""
        self.engine.keep_at_most(config.keep_s)
        self.prepare.log_cap_mib = config.log_cap_mib
        self.around.labels = dict(config.labels)
        self.around.let_share(config.sharing)
        self.mounts.define(config.mounts)
        self.keeping.tell_changes()

    def status(self) -> str:
        """Return in one line how the agent is doing."""
        attempts = len(self.engine.attempts())
        held = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        link = "linked to the controller" if self.link.is_up else "the controller is away"
        return f"node {self.name}: {link}, {held} here"
