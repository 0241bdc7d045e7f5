import pytest
from msgspec.structs import replace

from eaas_tui.commands import VERBS, Command, Mistake, completions, hints, understood, usage
from eaas_tui.model.picture import EMPTY, Picture
from tests.rig.pictures import a_job, a_node, a_picture, a_queue

QUEUES = (a_queue("train", pool="gpu"), a_queue(pool="gpu"), a_queue(pool="cpu"))
PICTURE = a_picture(
    a_node("a"),
    queues={queue.ref: queue for queue in QUEUES},
    jobs={42: a_job(42, name="tune")},
)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (":jobs user:bob state:wait", Command(verb="jobs", filter="user:bob state:wait")),
        ("jobs", Command(verb="jobs")),
        (":node a", Command(verb="node", node="a")),
        (":node a drain", Command(verb="node", node="a", choice="drain")),
        (":queue train", Command(verb="queue", queue="gpu/train")),
        (":queue train pause", Command(verb="queue", queue="gpu/train", choice="pause")),
        (":queue gpu/train resume", Command(verb="queue", queue="gpu/train", choice="resume")),
        (":prio 42 -10", Command(verb="prio", jobs=(42,), number=-10)),
        (":cancel 42 7", Command(verb="cancel", jobs=(42, 7))),
        (":cancel tune", Command(verb="cancel", jobs=(42,))),
        (":move 42 train", Command(verb="move", jobs=(42,), queue="gpu/train")),
        (":theme light", Command(verb="theme", choice="light")),
        (":q", Command(verb="quit")),
        ("  ", None),
        (":", None),
    ],
)
def test_a_line_is_understood(line: str, meant: Command | None) -> None:
    assert understood(line, PICTURE) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (":jbos", "there is no command 'jbos'; did you mean jobs?"),
        (":node b", "there is no node 'b'"),
        (":node", "write :node NODE [drain|resume]"),
        (":queue trian pause", "there is no queue 'trian'; did you mean train?"),
        (":queue default pause", "there are several queues default: cpu/default, gpu/default"),
        (":queue train stop", "'stop' is not one of pause, resume"),
        (":prio 42", "write :prio JOB NUMBER"),
        (":prio 42 high", "'high' is no number"),
        (":prio nope 1", "'nope' is neither a job's number nor a job's name here"),
        (":cancel", "write :cancel JOB..."),
        (":theme pink", "'pink' is not one of dark, light, contrast, ansi16"),
    ],
)
def test_a_mistake_is_a_sentence(line: str, sentence: str) -> None:
    assert understood(line, PICTURE) == Mistake(sentence)


def test_a_name_that_several_jobs_have_is_refused() -> None:
    twin = replace(PICTURE.jobs[42], id=43, ref="43")
    picture = replace(PICTURE, jobs={**PICTURE.jobs, 43: twin})

    assert understood(":top tune", picture) == Mistake("several jobs are named tune: 42, 43")


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("no", ["node "]),
        ("node ", ["node a"]),
        ("node a d", ["node a drain"]),
        ("queue gpu/t", ["queue gpu/train"]),
        ("prio ", ["prio 42"]),
        ("cancel 42 ", ["cancel 42 42"]),
        ("theme c", ["theme contrast"]),
        ("nonsense ", []),
        ("q ", []),
        ("node a drain ", []),
    ],
)
def test_a_line_is_completed_by_what_there_is(line: str, lines: list[str]) -> None:
    assert completions(line, PICTURE) == lines


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_no_verb_falls_over_an_empty_pool(verb: object) -> None:
    picture: Picture = EMPTY
    name = getattr(verb, "name", "")

    assert isinstance(understood(f"{name} 1 2 3", picture), Command | Mistake)
    completions(f"{name} ", picture)


def test_usage_shows_what_may_be_left_out() -> None:
    assert [usage(verb) for verb in VERBS if verb.name in ("node", "top")] == [
        ":node NODE [drain|resume]",
        ":top JOB...",
    ]


def test_while_a_command_is_typed_those_that_match_are_told() -> None:
    picture = a_picture(a_node("box"), a_node("bay"))

    assert hints("", picture)[0].startswith("overview  jobs  job  node")
    assert hints("jo", picture) == ["jobs  job"]
    assert hints("pri", picture) == [":prio JOB NUMBER  a job's priority"]
    assert hints(":q", picture)[-1] == ":quit  leave the console"
    assert hints("node b", picture)[-1] == "bay  box"
    assert hints("nosuch", picture) == []


def test_a_task_of_an_array_is_named_as_it_is_shown() -> None:
    task = a_job(45, ref="42[3]", name="sweep", array=42, array_index=3)
    picture = replace(PICTURE, jobs={**PICTURE.jobs, 45: task})

    assert completions("job 42[", picture) == ["job 42[3]"]
    assert understood("job 42[3]", picture) == Command(verb="job", jobs=(45,))


def test_an_array_is_cancelled_as_a_whole_by_its_number_or_its_name() -> None:
    tasks = {
        id: a_job(id, ref=f"45[{id - 45}]", name="sweep", array=45, array_index=id - 45)
        for id in (45, 46, 47)
    }
    picture = replace(PICTURE, jobs={**PICTURE.jobs, **tasks})

    for line, jobs in {
        "cancel 45": (45, 46, 47),
        "cancel sweep": (45, 46, 47),
        "cancel 45[1] 45[0]": (46, 45),
        "cancel 45 tune": (45, 46, 47, 42),
        "cancel 46": (46,),
    }.items():
        assert understood(line, picture) == Command(verb="cancel", jobs=jobs), line
