from eaas_daemon.core.ask import amounts_of, ask_of, shape_of
from tests.rig.builders import House


def test_an_ask_holds_what_placement_looks_at_and_nothing_else() -> None:
    house = House()
    house.pool("default")
    mounts = ["data:/b:ro", "data:/a", "code:/c"]
    job = house.submit(gpus=2, gpu_type="RTX 3090", cpus=0.5, memory="1GiB", mounts=mounts)
    other = house.submit(
        gpus=2,
        gpu_type="rtx 3090",
        cpus=0.5,
        memory="1GiB",
        mounts=mounts,
        name="other",
        priority=9,
    )

    ask = ask_of(job)

    assert (ask.gpu_type, ask.cpus_milli, ask.memory_mib) == ("rtx 3090", 500, 1024)
    assert ask.mounts == (("code", "/c", True), ("data", "/a", True), ("data", "/b", False))
    assert (ask.user, ask.ref) == ("alice", "default/default")
    assert shape_of(job) == shape_of(other)


def test_another_queue_is_another_shape() -> None:
    house = House()
    house.pool("default")
    house.queue("night")

    day, night = house.submit(), house.submit(queue="night")

    assert ask_of(day) == ask_of(night)
    assert shape_of(day) != shape_of(night)


def test_the_amounts_of_a_job_are_those_of_its_ask() -> None:
    house = House()
    house.pool("default")
    jobs = [house.submit(), house.submit(cpus=0.5, memory="1GiB")]

    assert [amounts_of(job) for job in jobs] == [(1000, 0), (500, 1024)]
    assert [ask_of(job)[4:6] for job in jobs] == [(1000, 0), (500, 1024)]
