from xml.etree import ElementTree

from msgspec.structs import replace

from bench.simulate.fifo import fifo
from bench.simulate.product import product
from bench.simulate.timeline import draw, neighbours, waiting
from bench.simulate.week import week
from bench.simulate.workload import (
    SOME_MONDAY,
    PoolSize,
    Run,
    Schedule,
    Submission,
    Workload,
    schedule,
)

SVG = "{http://www.w3.org/2000/svg}"
POOL = PoolSize(nodes=3, cards=4)
WEEK = week(POOL, seed=1, jobs=300, days=7)


def bars(document: str) -> list[ElementTree.Element]:
    """Return the paths that tell of a job."""
    paths = ElementTree.fromstring(document).iter(f"{SVG}path")
    return [path for path in paths if path.find(f"{SVG}title") is not None]


def a_schedule(*runs: Run, jobs: tuple[Submission, ...], pool: PoolSize) -> Schedule:
    """Return a schedule of these jobs."""
    workload = Workload(title="<by hand> & eye", submissions=jobs, begins_at=SOME_MONDAY)
    return Schedule(policy="hand", pool=pool, workload=workload, runs=runs, wall_s=0, cpu_s=0)


def a_job(at_s: float, cards: int, user: str = "ann") -> Submission:
    """Return a job of a hundred seconds."""
    return Submission(user=user, at_s=at_s, cards=cards, length_s=100)


def test_the_picture_is_well_formed_and_has_a_bar_for_every_run() -> None:
    ours, theirs = (
        schedule(name, each, WEEK, POOL) for name, each in (("a", product), ("b", fifo))
    )

    document = draw(ours, [theirs])

    assert len(bars(document)) == len(ours.runs) == 300
    root = ElementTree.fromstring(document)
    assert root.tag == f"{SVG}svg"
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"n1", "n2", "n3", "ana", "ben", "jobs waiting, a", "jobs waiting, b"} <= {*words}


def test_a_bar_lies_in_the_rows_of_its_cards_and_tells_its_job() -> None:
    pool = PoolSize(nodes=2, cards=4)
    runs = (
        Run(of=0, node=0, cards=(0, 1, 3), began_s=0, ended_s=100),
        Run(of=1, node=1, cards=(), began_s=100, ended_s=200),
    )
    jobs = (a_job(0, 3), a_job(10, 0, user="<b&b>"))

    one, two = bars(draw(a_schedule(*runs, jobs=jobs, pool=pool)))

    # rows are 16 high, and a node is four of them, a lane and a gap: 72
    assert one.get("d") == "M64.0 282h759.6v31.5h-759.6zM64.0 330h759.6v15.5h-759.6z"
    assert one.findtext(f"{SVG}title") == "ann, job 1: 3 cards, ran 100 s, waited 0 s"
    assert two.get("d") == "M824.0 418h759.6v3h-759.6z"
    assert two.findtext(f"{SVG}title") == "<b&b>, job 2: no card, ran 100 s, waited 90 s"
    assert (one.get("class"), two.get("class")) == ("u0", "u1")


def test_what_was_broken_off_looks_different() -> None:
    runs = (
        Run(of=0, node=0, cards=(0,), began_s=0, ended_s=50, is_whole=False),
        Run(of=0, node=0, cards=(0,), began_s=60, ended_s=160),
    )

    drawn = bars(draw(a_schedule(*runs, jobs=(a_job(0, 1),), pool=POOL)))

    assert [bar.get("class") for bar in drawn] == ["u0 off", "u0"]


def test_many_users_share_the_last_colour() -> None:
    jobs = tuple(a_job(float(at), 1, user=f"u{at}") for at in range(14))

    document = draw(a_schedule(jobs=jobs, pool=POOL))

    words = [text.text for text in ElementTree.fromstring(document).iter(f"{SVG}text")]
    assert "4 others" in words
    assert [word for word in words if word in {job.user for job in jobs}] == [
        "u0",
        "u1",
        "u10",
        "u11",
        "u12",
        "u13",
        "u2",
        "u3",
        "u4",
        "u5",
    ]


def test_the_queue_is_what_waits_between_submission_and_start() -> None:
    runs = (
        Run(of=0, node=0, cards=(0,), began_s=0, ended_s=40),
        Run(of=1, node=0, cards=(0,), began_s=40, ended_s=80),
        Run(of=2, node=0, cards=(0,), began_s=60, ended_s=100),
    )
    jobs = (a_job(0, 1), a_job(10, 1), a_job(31, 1), a_job(85, 1))
    told = a_schedule(*runs, jobs=jobs, pool=POOL)

    # ten seconds a column; the last job never starts
    assert waiting(told, 100, 10) == [0, 1, 1, 2, 2, 1, 1, 0, 1, 1]
    assert waiting(replace(told, runs=()), 100, 10) == [1, 2, 2, 3, 3, 3, 3, 3, 4, 4]


def test_neighbouring_cards_are_drawn_as_one() -> None:
    assert neighbours((0, 1, 3, 4, 5, 7)) == [(0, 2), (3, 3), (7, 1)]
    assert neighbours(()) == []


def test_a_full_week_stays_a_file_that_a_browser_opens_at_once() -> None:
    pool = PoolSize()
    full = schedule("FIFO", fifo, week(pool, seed=1, jobs=5000, days=7), pool)

    document = draw(full)

    assert len(bars(document)) == 5000
    assert len(document) < 1_000_000
