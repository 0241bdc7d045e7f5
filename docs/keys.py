"""Writes the README's list of keys from the console's one table of them.

Run ``.venv/bin/python -m docs.keys`` (``make format`` does) after a change of ``eaas_tui/keys.py``.
A test compares the README with what this would write.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eaas_tui.commands import VERBS, usage
from eaas_tui.keys import ANYWHERE, KEYS, Key

README: Final = Path(__file__).parents[1] / "README.md"
BEGIN: Final = "<!-- keys -->\n"
END: Final = "<!-- end of keys -->"


def redrawn(text: str) -> str:
    """Return the README with its list of keys as the table has them."""
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{mark}{keys_table()}{end}{after}"


def keys_table() -> str:
    """Return the keys and the commands as Markdown tables."""
    rows = [*_rows(), "", "| after `:` | what it does |", "|---|---|"]
    rows += [f"| {_code(usage(verb))} | {_cell(verb.words)} |" for verb in VERBS]
    return "".join(f"{row}\n" for row in ["| key | where | what it does |", "|---|---|---|", *rows])


def _rows() -> Iterator[str]:
    for key in KEYS:
        pressed = " ".join(map(_code, key.labels.split(" ")))
        yield f"| {pressed} | {_where(key)} | {_cell(key.words)} |"


def _where(key: Key) -> str:
    order = ("overview", "jobs", "job", "node", "events", "submit")
    return "" if key.where == ANYWHERE else ", ".join(view for view in order if view in key.where)


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    README.write_text(redrawn(README.read_text()))
