import random
from itertools import islice

from eaas.cli.demo import jobs
from eaas.job_spec import read_spec


def test_example_jobs_are_jobs_of_the_pool_and_some_of_them_fail() -> None:
    found = list(islice(jobs("demo", random.Random(7)), 200))
    specs = [read_spec(fields) for fields in found]

    assert {spec.pool for spec in specs} == {"demo"}
    assert len({spec.name for spec in specs}) > 4
    assert any("exit 1" in str(spec.command) for spec in specs)


def test_the_same_chance_gives_the_same_jobs() -> None:
    first, second = (list(islice(jobs("p", random.Random(1)), 20)) for _ in range(2))

    assert first == second
