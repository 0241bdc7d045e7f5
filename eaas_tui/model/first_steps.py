"""What to type next, where there is nothing to look at yet."""

from collections.abc import Mapping
from typing import Final

from eaas_tui.model.picture import Link, Picture

_NO_ANSWER: Final[Mapping[str, str]] = {
    "connecting": "Looking for the controller ...",
    "away": "The controller does not answer; this console waits for it.",
    "refused": "The controller refuses this console.",
    "live": "",
    "replay": "",
}


def nodes_text(picture: Picture) -> str:
    """Return what is to be said where nodes would be; empty when there is one."""
    if picture.nodes:
        return ""
    if picture.link.state not in ("live", "replay"):
        return _no_answer(picture.link)
    return (
        "No machine here yet. In a shell, type\n"
        "\n"
        "  mini-eaas up                     makes this machine a pool of its own\n"
        "  mini-eaas up --demo              the same with simulated cards and jobs\n"
        "  mini-eaas pool add default NODE  gives a machine that joined some work"
    )


def jobs_text(picture: Picture) -> str:
    """Return what is to be said where jobs would be."""
    if picture.link.state not in ("live", "replay"):
        return ""
    if picture.jobs:
        return "nothing runs, waits or failed lately; 2 shows all jobs"
    return (
        "No job yet: n opens a form, or in a shell\n"
        "  mini-eaas job submit --follow --cmd 'echo hello'"
    )


def _no_answer(link: Link) -> str:
    text = _NO_ANSWER[link.state]
    return f"{text}\n\n  {link.text}" if link.text else text
