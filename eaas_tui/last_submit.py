"""What the last submit said, as the next form's defaults; never what was secret in it."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from eaas.paths import path_of
from eaas_tui.model.form import SHOWN, Form

NOT_KEPT: Final = frozenset(
    {"name", "command", "env", "with", "after", "after_failed", "not_before", "array"}
)
"""What says which job it was and when it was to run, and what may hold secrets: variables and
command lines."""

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700


def last_submit_file(environ: Mapping[str, str], *, uid: int | None = None) -> Path:
    """Return where this person's last submit is kept.

    It is theirs, not the pool's: several people may share one ``MINI_EAAS_HOME``.
    """
    if home := environ.get("MINI_EAAS_HOME"):
        owner = os.getuid() if uid is None else uid
        return path_of(home) / "console" / f"last-submit-{owner}.json"
    import platformdirs  # only here: a home that is given needs no search

    return Path(platformdirs.user_state_path("mini-eaas")) / "last-submit.json"


class LastSubmit:
    """One file with the texts of the last form that was accepted."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path

    def form(self) -> Form:
        """Return the form to begin with; an empty one where nothing usable is kept."""
        try:
            kept = json.loads(self._path.read_text())
        except (OSError, ValueError, RecursionError):
            return Form()
        items = kept.items() if isinstance(kept, dict) else ()
        texts = {key: text for key, text in items if _is_kept(key) and isinstance(text, str)}
        form, _ = Form(texts=texts).cleaned()
        return form

    def keep(self, form: Form) -> None:
        """Keep the form's texts, for its owner's eyes only; do nothing where that can't be."""
        texts = {key: text for key, text in form.texts.items() if _is_kept(key)}
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):  # a full disk or a foreign folder costs nobody their job
            self._path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                fresh.unlink()
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
            with os.fdopen(handle, "w") as file:
                json.dump(texts, file, indent=1)
            fresh.replace(self._path)


def _is_kept(key: str) -> bool:
    return key in SHOWN and key not in NOT_KEPT
