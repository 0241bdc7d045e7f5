"""The command line that ``:`` opens: what can be said, what a line means, how it can go on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from eaas.spelling import nearest, shown
from eaas_tui.arguments import THEMES
from eaas_tui.keys import Needs
from eaas_tui.model.picture import Picture

Kind = Literal["job", "node", "queue", "number", "filter", "theme", "pausing", "draining"]

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "pausing": ("pause", "resume"),
    "draining": ("drain", "resume"),
    "theme": THEMES,
}


HINTED: Final = 12
"""So many of the words that may follow are told."""


class Verb(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be said."""

    name: str
    takes: tuple[Kind, ...] = ()
    """What follows; ``filter`` is all the rest of the line, or nothing."""
    optional: int = 0
    """So many of the last ones may be left out."""
    repeats: bool = False
    """The first one may be said several times."""
    words: str
    needs: Needs = "look"
    also: tuple[str, ...] = ()


VERBS: Final = (
    Verb(name="overview", words="the pool at one glance"),
    Verb(name="jobs", takes=("filter",), words="all jobs, or those a filter leaves"),
    Verb(name="job", takes=("job",), words="one job"),
    Verb(name="node", takes=("node", "draining"), optional=1, words="a node; drain or resume it"),
    Verb(name="events", words="what happened"),
    Verb(name="bookings", words="which cards are booked"),
    Verb(name="new", words="a new job", needs="act", also=("submit",)),
    Verb(
        name="queue",
        takes=("queue", "pausing"),
        optional=1,
        words="a queue; pause or resume it",
    ),
    Verb(name="prio", takes=("job", "number"), words="a job's priority", needs="act"),
    Verb(name="top", takes=("job",), repeats=True, words="make jobs the next", needs="act"),
    Verb(name="move", takes=("job", "queue"), words="a job to another queue", needs="act"),
    Verb(name="cancel", takes=("job",), repeats=True, words="cancel jobs; asks", needs="act"),
    Verb(name="retry", takes=("job",), repeats=True, words="run jobs once more", needs="act"),
    Verb(name="theme", takes=("theme",), words="another look"),
    Verb(name="help", words="the keys of this screen"),
    Verb(name="quit", words="leave the console", also=("q",)),
)

_BY_NAME: Final = {name: verb for verb in VERBS for name in (verb.name, *verb.also)}


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was understood."""

    verb: str
    jobs: tuple[int, ...] = ()
    node: str | None = None
    queue: str | None = None
    """``pool/queue``."""
    number: int | None = None
    choice: str | None = None
    """The theme, or what is to be done with the queue or node."""
    filter: str = ""


class Mistake(msgspec.Struct, frozen=True):
    """Why a line was not understood, as a sentence."""

    sentence: str


class _Wrong(Exception):
    """A word that doesn't fit; the text is the sentence."""


def understood(line: str, picture: Picture) -> Command | Mistake | None:
    """Return what a line means; None for an empty one."""
    words = line.strip().removeprefix(":").split()
    if not words:
        return None
    name, *rest = words
    verb = _BY_NAME.get(name)
    if verb is None:
        return Mistake(f"there is no command {shown(name)}{_did_you_mean(name, _BY_NAME)}")
    try:
        return _command(verb, rest, picture)
    except _Wrong as wrong:
        return Mistake(str(wrong))


def needs_of(command: Command) -> Needs:
    """Return what a command asks of a person; ``:node a`` looks, ``:node a drain`` does not."""
    verb = _BY_NAME[command.verb]
    if verb.needs == "look" and command.choice is not None and verb.takes != ("theme",):
        return "admin"
    return verb.needs


def usage(verb: Verb) -> str:
    """Return how a command is typed: ``:prio JOB NUMBER``."""
    shown = [_placeholder(kind) for kind in verb.takes]
    for place in range(len(shown) - verb.optional, len(shown)):
        shown[place] = f"[{shown[place]}]"
    if verb.repeats:
        shown[0] += "..."
    return " ".join([f":{verb.name}", *shown])


def completions(line: str, picture: Picture) -> list[str]:
    """Return the lines that this one may become with its last word completed."""
    before, _, last = line.rpartition(" ")
    words = before.removeprefix(":").split()
    if not words:
        found = [name for name in _BY_NAME if name.startswith(last)]
        return [f"{name} " if _BY_NAME[name].takes else name for name in sorted(found)]
    verb = _BY_NAME.get(words[0])
    if verb is None or not verb.takes:
        return []
    place = 0 if verb.repeats else len(words) - 1
    if place >= len(verb.takes):
        return []
    known = _known(verb.takes[place], picture)
    return [f"{before} {word}" for word in known if word.startswith(last)]


def hints(line: str, picture: Picture) -> list[str]:
    """Return how the line may go on: the commands that match, or the words that may follow."""
    begun, said, _ = line.lstrip().removeprefix(":").partition(" ")
    if not said:
        found = [verb for verb in VERBS if _answers_to(verb, begun)]
        if len(found) == 1 or (begun in _BY_NAME):
            return [f"{usage(verb)}  {verb.words}" for verb in found]
        names = "  ".join(verb.name for verb in found)
        return [names] if names else []
    words = [known.rpartition(" ")[2] for known in completions(line, picture)[:HINTED]]
    told = [f"{usage(_BY_NAME[begun])}  {_BY_NAME[begun].words}"] if begun in _BY_NAME else []
    return [*told, *(["  ".join(words)] if words else [])]


def _answers_to(verb: Verb, begun: str) -> bool:
    return any(name.startswith(begun) for name in (verb.name, *verb.also))


def _command(verb: Verb, words: Sequence[str], picture: Picture) -> Command:
    if verb.takes == ("filter",):
        return Command(verb=verb.name, filter=" ".join(words))
    if verb.repeats and words:
        jobs = (id for word in words for id in _jobs(word, picture))
        return Command(verb=verb.name, jobs=tuple(dict.fromkeys(jobs)))
    least = len(verb.takes) - verb.optional
    if not least <= len(words) <= len(verb.takes):
        raise _Wrong(f"write {usage(verb)}")
    command = Command(verb=verb.name)
    for kind, word in zip(verb.takes, words, strict=False):
        command = msgspec.structs.replace(command, **_READERS[kind](kind, word, picture))
    return command


def _read_job(_: str, word: str, picture: Picture) -> dict[str, object]:
    return {"jobs": (_job(word, picture),)}


def _read_node(_: str, word: str, picture: Picture) -> dict[str, object]:
    if word not in picture.nodes:
        raise _Wrong(f"there is no node {shown(word)}{_did_you_mean(word, picture.nodes)}")
    return {"node": word}


def _read_queue(_: str, word: str, picture: Picture) -> dict[str, object]:
    found = [queue.ref for queue in picture.queues.values() if word in (queue.ref, queue.name)]
    if len(found) > 1:
        raise _Wrong(f"there are several queues {word}: {', '.join(sorted(found))}")
    if not found:
        names = [name for queue in picture.queues.values() for name in (queue.ref, queue.name)]
        raise _Wrong(f"there is no queue {shown(word)}{_did_you_mean(word, names)}")
    return {"queue": found[0]}


def _read_number(_: str, word: str, __: Picture) -> dict[str, object]:
    try:
        return {"number": int(word)}
    except ValueError:
        raise _Wrong(f"{shown(word)} is no number") from None


def _read_choice(kind: str, word: str, _: Picture) -> dict[str, object]:
    choices = CHOICES[kind]
    if word not in choices:
        raise _Wrong(f"{shown(word)} is not one of {', '.join(choices)}")
    return {"choice": word}


_READERS: Final[Mapping[Kind, Callable[[str, str, Picture], dict[str, object]]]] = {
    "job": _read_job,
    "node": _read_node,
    "queue": _read_queue,
    "number": _read_number,
    "theme": _read_choice,
    "pausing": _read_choice,
    "draining": _read_choice,
}


def _jobs(word: str, picture: Picture) -> list[int]:
    """Return the job's number, or those of all parts of an array or of a job on several nodes."""
    named = sorted(id for id, job in picture.jobs.items() if word == job.name)
    arrays = {picture.jobs[id].array for id in named}
    whole = arrays.pop() if len(arrays) == 1 else int(word) if word.isdecimal() else None
    parts = sorted(id for id, job in picture.jobs.items() if job.array == whole)
    return parts if whole is not None and parts else [_job(word, picture)]


def _job(word: str, picture: Picture) -> int:
    """Return the number; a job that ended long ago is not in the picture, and still a job."""
    if word.isascii() and word.isdigit():
        return int(word)
    named = [id for id, job in picture.jobs.items() if word in (job.ref, job.name)]
    if len(named) > 1:
        raise _Wrong(f"several jobs are named {word}: {', '.join(map(str, sorted(named)))}")
    if not named:
        raise _Wrong(f"{shown(word)} is neither a job's number nor a job's name here")
    return named[0]


def _known(kind: Kind, picture: Picture) -> list[str]:
    if kind == "job":
        return [picture.jobs[id].ref for id in sorted(picture.jobs)]
    if kind == "node":
        return sorted(picture.nodes)
    if kind == "queue":
        return sorted(picture.queues)
    return list(CHOICES.get(kind, ()))


def _placeholder(kind: Kind) -> str:
    return "|".join(CHOICES[kind]) if kind in CHOICES else kind.upper()


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    found = nearest(word, known)
    return f"; did you mean {found}?" if found else ""
