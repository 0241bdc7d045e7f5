import yaml

from tests.daemon.intake.folders import Doorway


def status(doorway: Doorway, name: str = "1-a.yaml.status.yaml") -> dict[str, object]:
    read = yaml.safe_load(doorway.text("accepted", name))
    assert isinstance(read, dict)
    return read


async def a_taken_job(doorway: Doorway) -> None:
    doorway.drop("a.yaml")
    await doorway.take()
    await doorway.statuses()


async def let_it_run(doorway: Doorway) -> None:
    await doorway.give_card()
    await doorway.house.runs(1)


async def test_the_status_follows_the_job_to_its_end(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    assert status(doorway)["state"] == "Pending"

    await let_it_run(doorway)
    await doorway.statuses()
    assert status(doorway)["state"] == "Running"
    assert status(doorway)["node"] == "n1"

    await doorway.house.ends(1, exit_code=3)
    await doorway.statuses()
    told = status(doorway)
    assert (told["final"], told["state"], told["exit_code"]) == (True, "Failed", 3)


async def test_a_new_controller_follows_what_the_one_before_did(doorway: Doorway) -> None:
    await a_taken_job(doorway)
    await let_it_run(doorway)

    await doorway.restart()
    await doorway.statuses()

    assert status(doorway)["state"] == "Running"
