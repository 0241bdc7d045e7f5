from eaas_daemon.core import events as e
from eaas_daemon.core.draft import Draft
from tests.rig.builders import ADMIN, House, a_card


def test_a_fresh_draft_has_changed_nothing() -> None:
    assert Draft().changes(House().state).empty


def test_each_thing_is_told_once_in_its_last_state() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")

    job = house.submit(gpus=1)

    assert [each.state for each in house.changes.jobs] == [job.state]
    assert [row.card for row in house.changes.claimed] == ["GPU-n1-0"]


def test_what_came_and_went_in_one_step_is_told_as_gone() -> None:
    house = House()
    house.do(e.CreatePool(caller=ADMIN, name="lab"), e.DeletePool(caller=ADMIN, name="lab"))

    assert house.changes.pools == ()
    assert house.changes.gone_pools == ("lab",)
    assert house.changes.queues == ()
