"""The controller's settings: from controller.yaml, then the environment, then the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import yaml

from eaas.errors import FieldError, Invalid
from eaas.spelling import nearest
from eaas_daemon.intake.settings import FolderSettings

DEFAULT_PORT: Final = 7470


AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class ControllerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set. The file's keys are these names."""

    listen: str = "127.0.0.1"
    """A loopback address; anything else needs certificates, which this version does not make."""
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] | None = None
    """None is 7470, or any free port when another program has that; 0 is any free port."""
    log_budget_mib: AtLeastOne = 20480
    """What job logs may take on this disk; the oldest ended ones go first."""
    journal_days: AtLeastOne = 90
    folders: tuple[FolderSettings, ...] = ()
    """Watched folders beside ``inbox/`` in the controller's own folder."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"


KEYS: Final = tuple(field.name for field in msgspec.structs.fields(ControllerConfig))


def read_config(path: Path | None, overrides: Mapping[str, Any]) -> ControllerConfig:
    """Return the settings of the file, if any, with the overrides that are not None on top.

    Raises ``Invalid`` naming the key and the file.
    """
    settings = {} if path is None else _file(path)
    settings.update({key: value for key, value in overrides.items() if value is not None})
    unknown = [key for key in settings if key not in KEYS]
    if unknown:
        raise Invalid(tuple(_unknown(key) for key in unknown))
    try:
        return msgspec.convert(settings, ControllerConfig, dec_hook=_path)
    except msgspec.ValidationError as error:
        where = "" if path is None else f"{path}: "
        raise Invalid((FieldError(field="", message=f"{where}{error}"),)) from error


def _file(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        message = f"{path} can't be read: {error.strerror}"
        raise Invalid((FieldError(field="", message=message),)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Invalid((FieldError(field="", message=f"{path}: {error}"),)) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        message = f"{path} must hold keys and values, not {type(content).__name__}"
        raise Invalid((FieldError(field="", message=message),))
    return dict(content)


def _path(kind: type, value: object) -> Path:
    """Return the folder that a setting names."""
    if kind is not Path or not isinstance(value, str):
        raise NotImplementedError(kind)
    path = Path(value).expanduser()
    if not path.is_absolute():
        raise ValueError(f"{value}: a folder is given from the root on, like /srv/jobs")
    return path


def _unknown(key: str) -> FieldError:
    near = nearest(str(key), KEYS)
    hint = f"; did you mean {near}?" if near else f"; there are: {', '.join(KEYS)}"
    return FieldError(field=str(key), message=f"unknown setting {key}{hint}", suggestion=near)
