"""Draws the pictures of ARCHITECTURE.md from the code, so that they cannot be wrong for long.

Run ``.venv/bin/python -m docs.pictures`` (``make format`` does) after a change of the states or of
who imports whom. A test compares the file with what this would write.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import grimp

from eaas.lifecycle import ENDED, TRANSITIONS, JobState

ROOT: Final = Path(__file__).parents[1]
ARCHITECTURE: Final = ROOT / "ARCHITECTURE.md"
PROGRAMS: Final = ("eaas", "eaas_daemon", "eaas_agent", "eaas_tui")


def state_picture() -> str:
    """Return the job's states as a Mermaid diagram, one arrow for each pair of states."""
    verbs: dict[tuple[JobState, JobState], list[str]] = {}
    for (source, verb), target in TRANSITIONS.items():
        verbs.setdefault((source, target), []).append(verb)
    arrows = [f"{source} --> {target}: {', '.join(v)}" for (source, target), v in verbs.items()]
    ends = [f"{state} --> [*]" for state in JobState if state in ENDED]
    return _mermaid("stateDiagram-v2", [f"[*] --> {JobState.PENDING}", *arrows, *ends])


def import_picture() -> str:
    """Return who imports whom by package; single modules count as their program's shell."""
    graph = grimp.build_graph(*PROGRAMS, cache_dir=None)
    packages = {module for module in graph.modules if (ROOT / module.replace(".", "/")).is_dir()}
    arrows = {
        (_package_of(module, packages), _package_of(imported, packages))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    boxes = [_box(program, packages) for program in PROGRAMS]
    drawn = [f"{_node(a)} --> {_node(b)}" for a, b in sorted(arrows) if a != b and not _holds(a, b)]
    return _mermaid("flowchart LR", [*boxes, *drawn])


def redrawn(text: str) -> str:
    """Return the document with every marked picture drawn anew."""
    for name, picture in (("states", state_picture()), ("imports", import_picture())):
        before, mark, rest = text.partition(f"<!-- picture: {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        text = f"{before}{mark}{picture}{end}{after}"
    return text


def _mermaid(kind: str, lines: Iterable[str]) -> str:
    return "".join(
        f"{line}\n" for line in ["```mermaid", kind, *(f"    {x}" for x in lines), "```"]
    )


def _package_of(module: str, packages: set[str]) -> str:
    return module if module in packages else module.rpartition(".")[0]


def _box(program: str, packages: set[str]) -> str:
    inside = sorted(package for package in packages if package.startswith(f"{program}."))
    names = [
        f"{_node(program)}[{program}]",
        *(f"{_node(p)}[{p.partition('.')[2]}]" for p in inside),
    ]
    return f"subgraph {program}_box [{program}]\n        " + "\n        ".join(names) + "\n    end"


def _node(package: str) -> str:
    return package.replace(".", "_")


def _holds(program: str, package: str) -> bool:
    """Tell whether the package is the program's own: the box shows that already."""
    return package.startswith(f"{program}.")


if __name__ == "__main__":
    ARCHITECTURE.write_text(redrawn(ARCHITECTURE.read_text()))
