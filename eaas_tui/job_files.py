"""Job files as the form opens and writes them."""

from pathlib import Path
from typing import Final

from eaas.errors import EaasError
from eaas.job_file import MAX_BYTES
from eaas.paths import path_of, whole_path
from eaas.safe_text import safe_text
from eaas_tui.model.form import Form, form_from_yaml

NOTHING_YET: Final = """\
# One job. What is left out has its default; `mini-eaas schema job` lists every key.
# command: python train.py
# image: pytorch/pytorch:latest
# gpus: 1
"""
"""What the editor shows of a form without a word in it."""


class NoFile(EaasError):
    """The file can't be used; the sentence says which and why."""

    code = "no_file"


def read_form(name: str) -> tuple[Form, int]:
    """Return the form of a file's first job, and how many jobs the file holds.

    A folder in it is relative to the file; the form has it from where the person is.
    """
    path = path_of(name)
    try:
        if not path.is_file():
            raise NoFile(f"there is no file {path}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _trouble("read", path, error) from error
    form, count = form_from_yaml(data, name=str(path))
    folder = form.text("with")
    if folder and not folder.startswith("sha256:"):
        texts = {**form.texts, "with": str(path.parent / path_of(folder))}
        form = Form(texts=texts, opened=texts, key=form.key)
    return form, count


def write_form(name: str, form: Form, *, overwrite: bool) -> Path:
    """Write the form as a job file that means the same from anywhere, and return where it is."""
    path = path_of(name)
    folder = form.text("with")
    if folder and not folder.startswith("sha256:"):
        form = form.typed("with", str(whole_path(folder)))
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(form.as_yaml() or NOTHING_YET)
    except FileExistsError:
        raise NoFile(f"there is a {path} already: choose another name") from None
    except OSError as error:
        raise _trouble("write", path, error) from error
    return path


def _trouble(verb: str, path: Path, error: OSError) -> NoFile:
    return NoFile(safe_text(f"can't {verb} {path}: {(error.strerror or 'no').lower()}"))
