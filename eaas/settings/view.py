"""A program's settings as it shows them: every key, its value, and where that came from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from eaas.settings.keys import Key
from eaas.settings.layers import COMPUTED, DEFAULT, Settings

HIDDEN: Final = "(hidden)"


class SettingView(msgspec.Struct, frozen=True, kw_only=True):
    """One row of ``config show``."""

    key: str
    value: Any
    """As people type it; null for what was left out and has no default; secrets are hidden."""
    source: str
    """Where it was set; ``default``, or ``computed`` where the default depends on the machine."""


class SettingsView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one program would run with."""

    program: str
    file: str | None
    """The settings file that was read."""
    looked_for: list[str]
    """Where a file was looked for, in this order."""
    settings: list[SettingView]


def settings_view(
    program: str,
    keys: Sequence[Key],
    settings: Settings,
    *,
    looked_for: Sequence[Path],
    computed: Mapping[str, object],
) -> SettingsView:
    """Return what to show of the settings; ``computed`` is what left out keys come to here."""
    rows = [_row(key, settings, computed) for key in keys]
    return SettingsView(
        program=program,
        file=None if settings.file is None else str(settings.file),
        looked_for=[str(path) for path in looked_for],
        settings=rows,
    )


def as_json(
    program: str,
    keys: Sequence[Key],
    settings: Settings,
    *,
    looked_for: Sequence[Path],
    computed: Mapping[str, object],
) -> str:
    """Return the settings as ``eaas-daemon config`` and ``eaas-agent config`` print them."""
    view = settings_view(program, keys, settings, looked_for=looked_for, computed=computed)
    return msgspec.json.format(msgspec.json.encode(view), indent=2).decode()


def _row(key: Key, settings: Settings, computed: Mapping[str, object]) -> SettingView:
    value, source = settings[key.name], settings.by_name[key.name].source
    if value is None and source == DEFAULT and key.name in computed:
        return SettingView(key=key.name, value=computed[key.name], source=COMPUTED)
    return SettingView(key=key.name, value=_shown(key, value), source=source)


def _shown(key: Key, value: Any) -> Any:
    if value is None:
        return None
    return HIDDEN if key.secret else key.check.typed(value)
