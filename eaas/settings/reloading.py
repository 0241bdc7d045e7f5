"""SIGHUP: the settings are read again, and what can change while the program runs does."""

import logging
from collections.abc import Callable, Mapping

import msgspec

from eaas.errors import EaasError
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings

log = logging.getLogger(__name__)

Apply = Callable[[Settings], None]


class Outcome(msgspec.Struct, frozen=True):
    """What reading the settings again led to."""

    changed: tuple[str, ...]
    """Keys that have their new value now."""
    waiting: tuple[str, ...]
    """Keys whose new value needs a restart."""

    def __str__(self) -> str:
        parts = []
        if self.changed:
            parts.append(f"changed: {', '.join(self.changed)}")
        if self.waiting:
            verb = "needs" if len(self.waiting) == 1 else "need"
            parts.append(f"{', '.join(self.waiting)} {verb} a restart")
        return "; ".join(parts) or "nothing changed"


class Reloading:
    """Reads the settings again when it is called; a mistake in them changes nothing."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        appliers: Mapping[str, Apply],
        *,
        notice: ServiceNotice,
        tell: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        """``appliers`` has what puts a key's new value to work; ``tell`` hears of every success."""
        self._settings = settings
        self._read = read
        self._appliers = appliers
        self._notice = notice
        self._tell = tell

    def __call__(self) -> None:
        """Read the settings, and put what can change to work."""
        self._notice.reloading()
        try:
            new = self._read()
        except EaasError as error:
            for line in str(error).splitlines():
                log.error("the settings stay as they were: %s", line)
        else:
            self._take(new)
        self._notice.ready()

    def _take(self, new: Settings) -> None:
        old = self._settings
        different = [name for name in new.by_name if new[name] != old[name]]
        changed = tuple(name for name in different if name in self._appliers)
        waiting = tuple(name for name in different if name not in self._appliers)
        for apply in dict.fromkeys(self._appliers[name] for name in changed):
            apply(new)
        # What waits for a restart keeps its old value here, so that it is named the next time too.
        kept = {name: old.by_name[name] for name in waiting}
        self._settings = Settings({**new.by_name, **kept}, new.file)
        outcome = Outcome(changed, waiting)
        log.info("the settings were read again: %s", outcome)
        self._tell(outcome)
