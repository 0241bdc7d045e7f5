import logging

import pytest

from eaas.errors import Invalid
from eaas.service_notice import ServiceNotice
from eaas.settings.layers import Settings, settle
from eaas.settings.reloading import Outcome, Reloading
from tests.eaas.settings.keys import KEYS


def settings(**typed: object) -> Settings:
    return settle("lamp", KEYS, file=None, environ={}, typed=typed)


class Lamp:
    """Something with a level that can be changed, and a port that can't."""

    def __init__(self) -> None:
        self.next: Settings | Invalid = settings()
        self.levels: list[str] = []
        self.told: list[Outcome] = []
        self.reload = Reloading(
            settings(),
            self._read,
            dict.fromkeys(("level", "labels"), self._apply),
            notice=ServiceNotice({}),
            tell=self.told.append,
        )

    def _read(self) -> Settings:
        if isinstance(self.next, Invalid):
            raise self.next
        return self.next

    def _apply(self, new: Settings) -> None:
        self.levels.append(new["level"])


def test_what_can_change_does_and_the_rest_is_named_until_a_restart(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    lamp = Lamp()

    lamp.next = settings(level="high", labels={"a": "b"}, port=1)
    lamp.reload()
    lamp.reload()
    lamp.next = settings(level="high", labels={"a": "b"})
    lamp.reload()

    assert lamp.levels == ["high"]
    assert lamp.told == [
        Outcome(("level", "labels"), ("port",)),
        Outcome((), ("port",)),
        Outcome((), ()),
    ]
    assert [record.getMessage() for record in caplog.records] == [
        "the settings were read again: changed: level, labels; port needs a restart",
        "the settings were read again: port needs a restart",
        "the settings were read again: nothing changed",
    ]


def test_a_mistake_keeps_the_old_settings_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    lamp = Lamp()

    lamp.next = Invalid((), "lamp.yaml:1:1: wrong\nlamp.yaml:2:1: wrong too")
    lamp.reload()

    assert (lamp.levels, lamp.told) == ([], [])
    assert [record.getMessage() for record in caplog.records] == [
        "the settings stay as they were: lamp.yaml:1:1: wrong",
        "the settings stay as they were: lamp.yaml:2:1: wrong too",
    ]
