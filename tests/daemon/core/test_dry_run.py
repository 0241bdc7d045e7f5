from msgspec.structs import replace

from eaas.job_spec import JobSpec, read_spec
from eaas.why_views import DryRunView
from eaas.wire.from_agent import NamedMount
from eaas.wire.rest import SetQueue
from eaas_daemon.core import events as e
from eaas_daemon.core.dry_run import dry_run, each_refused, first_refused
from tests.rig.builders import ADMIN, ALICE, House, a_card
from tests.rig.preempting import a_house as preempting_house
from tests.rig.preempting import at_night


def spec(**fields: object) -> JobSpec:
    """Return what such a job asks for."""
    return read_spec({"image": "busybox", **fields})


def tried(house: House, caller: e.Caller = ALICE, **fields: object) -> DryRunView:
    """Return the verdict, having looked that nothing has changed."""
    before = dict(house.state.jobs), house.state.seq, house.state.next_number
    view = dry_run(house.state, spec(**fields), caller, house.now)
    assert (dict(house.state.jobs), house.state.seq, house.state.next_number) == before
    assert house.state.changes().empty
    return view


def a_house(*, cards: int = 2) -> House:
    """Return a pool with one node."""
    house = House()
    house.node("n1", *(a_card(index) for index in range(cards)))
    house.pool("default", "n1")
    return house


def test_what_fits_now_would_start_with_the_cards_it_would_get() -> None:
    house = a_house()

    view = tried(house, gpus=1)

    assert (view.valid, view.would, view.verdict, view.node) == (True, "start", "placed", "n1")
    assert [card.uuid for card in view.cards] == ["GPU-n1-0"]
    job = house.submit(gpus=1)
    assert [card.uuid for card in job.attempts[0].cards] == ["GPU-n1-0"]


def test_what_fits_later_would_wait_for_the_reasons_it_would_be_told() -> None:
    house = a_house()
    house.submit(gpus=2)

    view = tried(house, gpus=1)

    assert (view.would, view.verdict, view.node, view.position) == ("wait", "waiting", None, 1)
    assert [node.code for node in view.nodes] == ["too_few_free_cards"]
    assert [blocker.job for blocker in view.blockers] == [1]
    assert view.job is None


def test_what_could_have_others_interrupted_says_whom_and_when_it_would_start() -> None:
    house = preempting_house()
    first, second = at_night(house, gpus=1), at_night(house, gpus=1)

    one, both = tried(house, queue="urgent", gpus=1), tried(house, queue="urgent", gpus=2)

    assert one.text == f"it would start after interrupting job {second.number} (alice), about 35s"
    named = f"jobs {first.number} (alice), {second.number} (alice)"
    assert both.text == f"it would start after interrupting {named}, about 35s"
    assert (one.would, one.eta.kind, one.eta.in_s) == ("wait", "estimate", 35.0)
    assert tried(house, queue="night", gpus=1).text.startswith("it would wait")
    assert tried(house, queue="urgent", gpus=3, cpus=1).would == "never"


def test_a_paused_queue_lets_nothing_start() -> None:
    house = a_house()
    house.queue("default", paused=True)

    view = tried(house)

    assert (view.would, [reason.code for reason in view.reasons]) == ("wait", ["queue_paused"])


def test_what_no_node_could_ever_run_is_valid_and_never_starts() -> None:
    view = tried(a_house(), gpus=8)

    assert (view.valid, view.would, view.verdict) == (True, "never", "never")
    assert "n1" in view.text


def test_a_wrong_name_is_an_error_with_the_right_one() -> None:
    view = tried(a_house(), pool="defualt")

    assert (view.valid, view.would) == (False, "never")
    assert [(error.field, error.suggestion) for error in view.errors] == [("pool", "default")]


def test_a_queue_that_does_not_take_it_is_an_error_of_the_queue() -> None:
    house = a_house()
    house.do(
        e.CreateQueue(caller=ADMIN, pool="default", name="ours", settings=SetQueue(allow=["bob"]))
    )

    view = tried(house, queue="ours")

    assert (view.valid, [error.field for error in view.errors]) == (False, ["queue"])


def test_the_first_of_many_that_would_be_refused_is_found() -> None:
    house = a_house()
    specs = [spec(), spec(gpus=8), spec(pool="x")]

    assert first_refused(house.state, specs, ALICE, house.now, force=False) == 1
    assert first_refused(house.state, specs, ALICE, house.now, force=True) == 2
    refused = each_refused(house.state, specs, ALICE, house.now, force=False)
    assert [index for index, _ in refused] == [1, 2]


def test_what_a_mount_has_against_a_job_is_told() -> None:
    house = House()
    away = NamedMount(name="nas", unavailable="does not answer")
    house.node("n1", mounts=[away, NamedMount(name="data", users=("bob",))])
    house.pool("default", "n1")

    waiting, typo = tried(house, mounts=["nas:/nas"]), tried(house, mounts=["nsa:/nas"])
    others = tried(house, mounts=["data:/data"])

    assert waiting.text == "it would wait: mount nas of n1 can't be used now: does not answer"
    assert (typo.would, typo.advice) == ("never", ("did you mean mount nas?",))
    assert typo.text.endswith("n1 has no mount named nsa; did you mean mount nas?")
    assert (others.would, others.nodes[0].code) == ("never", "mount_not_allowed")


def test_a_trial_goes_by_what_the_next_step_would_do_for_others_too() -> None:
    house = a_house(cards=1)
    house.queue("default", max_running=0)
    other = house.submit(gpus=1)
    house.state.put_queue(replace(house.state.queues["default/default"], max_running=None))

    view = dry_run(house.state, spec(gpus=1), ALICE, house.now)

    assert (view.would, view.node) == ("wait", None)
    mine = house.submit(gpus=1)
    assert [bool(house.job(job.number).attempts) for job in (other, mine)] == [True, False]


def test_an_array_that_is_too_much_for_its_queue_would_be_refused() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    house.queue("default", max_pending=3)

    wide, narrow = (
        dry_run(house.state, read_spec({"image": "a", "array": array}), ALICE, house.now)
        for array in ("0-3", "0-2")
    )

    assert (wide.would, narrow.would) == ("never", "start")
    assert "4 tasks are 1 too many" in wide.text
