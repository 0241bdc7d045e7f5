"""A check for paths of this machine."""

from pathlib import Path
from typing import ClassVar

from eaas.field_checks import Check, text_of, wrong
from eaas.paths import NoSuchPlace, path_of
from eaas.spelling import shown


class HostPath(Check, frozen=True, kw_only=True):
    """A path of this machine from its root on, or from a home on (``~/jobs``)."""

    kind: ClassVar[str] = "path"

    def read(self, value: object) -> Path:
        text = text_of(value)
        try:
            path = path_of(text)
        except NoSuchPlace as error:
            raise wrong(f"names a home that isn't known: {shown(text)}") from error
        if not path.is_absolute() or ".." in path.parts:
            raise wrong(f"must be a path from the root on, like /srv/jobs, not {shown(text)}")
        return path

    def typed(self, value: Path) -> object:
        return str(value)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "pattern": "^[/~]"}
