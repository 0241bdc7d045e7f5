"""A filled form on its way to the controller: one key, so that it becomes one job whatever happens.

The key stays the same until the controller has answered: a form that is sent again after a cut
connection is the same job, and one that was changed in between is refused instead of running
beside it.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from eaas.errors import EaasError, Invalid, NeverFits, Unreachable
from eaas.paths import path_of
from eaas.safe_text import safe_text
from eaas.units import format_memory_mib
from eaas.views import JobView
from eaas.why_views import DryRunView
from eaas_tui.model.form import beside

if TYPE_CHECKING:
    from eaas.packs import Pack

KEY_REUSED: Final = "idempotency_key_reused"
_MIB_BYTES: Final = 1 << 20

Say = Callable[[str], None]
"""Shows a word on how far it is."""


class Submitting(Protocol):
    """What a form asks of the client."""

    async def dry_run(self, fields: Mapping[str, Any]) -> DryRunView:
        """Return what would become of the job."""

    async def job(self, id: int) -> JobView:
        """Return one job."""

    async def upload_pack(self, pack: "Pack") -> None:
        """Upload a packed folder."""

    async def submit(
        self,
        fields: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        force: bool = False,
    ) -> JobView:
        """Submit one job."""


class Accepted(msgspec.Struct, frozen=True):
    """It is a job now."""

    job: JobView


class Refused(msgspec.Struct, frozen=True):
    """The controller, or the folder, said no: there is no job."""

    text: str
    mistakes: Mapping[str, str] = {}
    """Beside their fields."""
    may_force: bool = False
    """No card could hold it now; it may be submitted all the same."""


class Unanswered(msgspec.Struct, frozen=True):
    """Nobody knows yet whether it is a job; sent again it will be that one."""

    text: str


Outcome = Accepted | Refused | Unanswered


class Submission:
    """Sends one form, as often as it takes."""

    def __init__(self, key: str | None = None) -> None:
        self._key = key or str(uuid.uuid4())
        self._packed: tuple[dict[str, object], str] | None = None
        """The fields whose folder was packed, and the pack: what is sent again is the same."""

    async def send(
        self, client: Submitting, fields: Mapping[str, object], *, force: bool, say: Say
    ) -> Outcome:
        """Pack the job's folder if it has one, submit, and return how that went."""
        from eaas.client import NotUnderstood  # a quarter of a second, after the first paint

        try:
            ready = await self._ready(client, dict(fields), say)
            say("submitting")
            return Accepted(await client.submit(ready, idempotency_key=self._key, force=force))
        except (Unreachable, NotUnderstood) as error:
            return Unanswered(safe_text(error.sentence))
        except EaasError as error:
            if error.code == KEY_REUSED:
                self._key = str(uuid.uuid4())
            return _refused(error)

    async def _ready(
        self, client: Submitting, fields: dict[str, object], say: Say
    ) -> Mapping[str, object]:
        folder = fields.get("with")
        if not isinstance(folder, str) or folder.startswith("sha256:"):
            return fields
        if self._packed is None or self._packed[0] != fields:
            self._packed = (fields, await _uploaded(client, path_of(folder), say))
        return {**fields, "with": self._packed[1]}


async def _uploaded(client: Submitting, folder: Path, say: Say) -> str:
    """Pack and upload the folder; return the pack's name."""
    from eaas.packs import packed

    say(f"packing {folder}")
    packing = packed(folder)
    pack = await asyncio.to_thread(packing.__enter__)
    try:
        size = format_memory_mib(-(-pack.size_bytes // _MIB_BYTES))
        say(f"uploading {folder}: {size}")
        await client.upload_pack(pack)
    finally:
        packing.__exit__(None, None, None)
    return pack.hash


def _refused(error: EaasError) -> Refused:
    if error.code == KEY_REUSED:
        return Refused(
            "this form was accepted before it was changed, so there is a job of it already; "
            "submit again if you want one more"
        )
    mistakes = beside(error.errors) if isinstance(error, Invalid) else {}
    shown = {key: safe_text(text) for key, text in mistakes.items()}
    return Refused(safe_text(error.sentence), shown, isinstance(error, NeverFits))
