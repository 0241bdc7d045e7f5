"""What the form says beside what is typed: candidates, help, and the controller's verdict."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from eaas.ids import queue_ref
from eaas.job_mounts import may_have
from eaas.lifecycle import ENDED
from eaas.node_views import NodeView
from eaas.views import HeldCardView
from eaas.why_views import DryRunView
from eaas_tui.keys import NEW_LINE, label_of
from eaas_tui.model.form import SHOWN, Form
from eaas_tui.model.picture import Picture

MAX_LISTED: Final = 8
"""How many candidates the help line names."""

_NEW_LINE: Final = f"{label_of(NEW_LINE[0])} begins a new line."

_HOW_TO_TYPE: Final[Mapping[str, str]] = {
    "command": _NEW_LINE,
    "env": f"KEY=VALUE, one a line; {_NEW_LINE}",
    "labels": f"KEY=VALUE, one a line; {_NEW_LINE}",
    "mounts": f"One a line; {_NEW_LINE}",
    "nodes": "Between commas.",
    "after": "Their numbers, between commas.",
    "not_before": "Z is UTC; your own zone goes as +02:00.",
    "num_nodes": "The same command runs on each of them; GPUs is for each.",
    "with": "It is packed when you submit.",
}

SEVERAL: Final = frozenset({"nodes", "mounts", "after"})
"""Fields of which each item is completed by itself."""

Tone = Literal["good", "wait", "bad", "unknown"]


class Verdict(msgspec.Struct, frozen=True):
    """What would become of the job, in a line and its tone."""

    tone: Tone
    text: str


def candidates(key: str, form: Form, picture: Picture) -> list[str]:
    """Return what is likely to be typed into the field, the likeliest first.

    Nodes, images, mounts and models are those of the pool the form names, if it is known.
    """
    found: Iterable[str] = ()
    match key:
        case "pool":
            found = sorted(picture.pools)
        case "queue":
            found = _queues(form, picture)
        case "image":
            found = _images(form, picture)
        case "mounts":
            found = _mounts(form, picture)
        case "nodes":
            found = (node.name for node in _nodes(form, picture))
        case "gpu_type":
            found = _models(form, picture)
        case "after":
            found = _open_jobs(picture)
    return list(dict.fromkeys(found))


def completion(key: str, text: str, found: Sequence[str]) -> str | None:
    """Return the text with its last word completed, or None where nothing fits.

    Case doesn't count; what was typed so far stays as it was typed.
    """
    begun = max(text.rfind(","), text.rfind("\n")) + 1 if key in SEVERAL else 0
    begun += len(text[begun:]) - len(text[begun:].lstrip())
    word = text[begun:]
    if not word:
        return None
    for candidate in found:
        if len(candidate) > len(word) and candidate.lower().startswith(word.lower()):
            return text + candidate[len(word) :]
    return None


def help_words(key: str, found: Sequence[str]) -> str:
    """Return what the focused field wants: its help, how to type it, and what there is."""
    words = [SHOWN[key].help]
    if key in _HOW_TO_TYPE:
        words.append(_HOW_TO_TYPE[key])
    if found:
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        words.append(f"Here: {', '.join(found[:MAX_LISTED])}{more}.")
    return " ".join(words)


def verdict_of(dry: DryRunView) -> Verdict:
    """Return the controller's verdict as the form's line says it.

    Its sentences begin with what the form's own words say, which is taken off.
    """
    if not dry.valid:
        return Verdict("bad", dry.text)
    if dry.would == "start":
        several = len(dry.on_nodes) > 1  # a rank on each
        where = ", ".join(dry.on_nodes) if several else dry.node or "a node"
        return Verdict("good", f"would start now on {where}{'' if several else _on(dry.cards)}")
    if dry.would == "wait":
        return Verdict("wait", dry.text.removeprefix("it "))
    reason = dry.text.partition(": ")[2] or dry.text
    return Verdict("bad", f"can never start because {reason}")


def _on(cards: Sequence[HeldCardView]) -> str:
    names = [card.uuid[:12] if card.index is None else str(card.index) for card in cards]
    if not names:
        return ""
    return f", card{'s' if len(names) > 1 else ''} {','.join(names)}"


def _pool(form: Form, picture: Picture) -> str | None:
    """Return the pool the job would go to, as the controller settles it."""
    named = form.text("pool") or form.text("queue").rpartition("/")[0]
    if named:
        return named
    only = next(iter(picture.pools), None) if len(picture.pools) == 1 else None
    return only or ("default" if "default" in picture.pools else None)


def _queues(form: Form, picture: Picture) -> Iterable[str]:
    pool = _pool(form, picture)
    yield from sorted(queue.name for queue in picture.queues.values() if queue.pool == pool)
    if not form.text("pool"):
        yield from sorted(picture.queues)


def _nodes(form: Form, picture: Picture) -> list[NodeView]:
    pool = _pool(form, picture)
    nodes = [picture.nodes[name] for name in sorted(picture.nodes)]
    return [node for node in nodes if pool in node.pools] if pool in picture.pools else nodes


def _images(form: Form, picture: Picture) -> Iterable[str]:
    yield from _recent(picture, "image")
    yield from sorted({image.name for node in _nodes(form, picture) for image in node.images})


def _mounts(form: Form, picture: Picture) -> Iterable[str]:
    """Yield what jobs have asked for, then what the nodes offer, as it may be asked for."""
    yield from _recent(picture, "mounts")
    pool = _pool(form, picture)
    queue = form.text("queue").rpartition("/")[2] or "default"
    ref = None if pool is None else queue_ref(pool, queue)
    offered = {
        (mount.name, mount.read_only)
        for node in _nodes(form, picture)
        for mount in node.mounts
        if node.runtime == "docker"
        and may_have(mount.users, mount.queues, user=picture.user, ref=ref)
    }
    for name, read_only in sorted(offered):
        yield f"{name}:/{name}{':ro' * read_only}"


def _models(form: Form, picture: Picture) -> list[str]:
    return sorted({card.model for node in _nodes(form, picture) for card in node.cards})


def _open_jobs(picture: Picture) -> Iterable[str]:
    """Yield the numbers of jobs that have not ended, one's own before all, the newest first."""
    jobs = (job for job in picture.jobs.values() if job.state not in ENDED)
    for job in sorted(jobs, key=lambda job: (job.user != picture.user, -job.id)):
        yield str(job.id)


def _recent(picture: Picture, key: str) -> list[str]:
    """Return what the jobs in the picture say there, the newest first and one's own before all."""
    jobs = sorted(picture.jobs.values(), key=lambda job: (job.user != picture.user, -job.id))
    values = [(job.spec or {}).get(key) for job in jobs]
    listed = [value if isinstance(value, list | tuple) else [value] for value in values]
    return [item for items in listed for item in items if isinstance(item, str)]
