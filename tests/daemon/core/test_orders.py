from eaas.wire.to_agent import Stop
from eaas_daemon.core import events as e
from eaas_daemon.core.orders import order_for
from tests.rig.builders import ALICE, House, a_card


def test_an_order_is_complete_in_itself() -> None:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    job = house.submit(
        gpus=1, env={"A": "1"}, timeout="1h", workdir="/w", memory="1GiB", run_as="1000:1000"
    )

    order = order_for(job, epoch=7)

    assert (order.uid, order.number, order.attempt, order.epoch) == (job.uid, 1, 1, 7)
    assert (order.image, order.command, order.env) == ("busybox", "true", {"A": "1"})
    assert (order.cards, order.timeout_s, order.memory_mib) == (("GPU-n1-0",), 3600, 1024)
    assert (order.workdir, order.run_as, order.user) == ("/w", "1000:1000", "alice")
    assert order.queue == "default/default"
    assert (order.known, order.stop) == (False, None)


def test_an_order_says_that_the_start_was_heard_of_and_how_to_stop() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    job = house.running(house.submit())

    job = house.do(e.Cancel(caller=ALICE, number=job.number, grace_s=3.0))

    order = order_for(job, epoch=1)
    assert (order.known, order.stop) == (True, Stop(grace_s=3.0, why="cancelled"))


def test_a_later_attempt_gets_the_digest_that_the_first_one_resolved() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "0s"})
    house.told_digest(job, "sha256:abc")
    house.ended(house.job(job.number), exit_code=1)

    order = order_for(house.job(job.number), epoch=1)

    assert (order.attempt, order.image_digest) == (2, "sha256:abc")
