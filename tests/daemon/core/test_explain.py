import pytest
from msgspec.structs import replace

from eaas import reasons as r
from eaas.errors import NeverFits
from eaas.ids import NodeName
from eaas.job_spec import read_spec
from eaas.sentences import sentence
from eaas.units import moment_text, utc_text
from eaas.why_views import BlockerView, WhyView
from eaas.wire.rest import SetPool
from eaas_daemon.core import events as e
from eaas_daemon.core.explain import Explainer
from eaas_daemon.core.model import Job
from tests.rig.builders import ADMIN, ALICE, House, a_card


@pytest.fixture
def house() -> House:
    house = House()
    house.node("n1", a_card(0))
    house.pool("default", "n1")
    return house


def why(house: House, job: Job) -> WhyView:
    return Explainer(house.state).why(house.job(job.number))


def test_a_job_behind_others_names_who_holds_the_cards_and_its_place(house: House) -> None:
    holder = house.running(house.submit(gpus=1, timeout="1h"))
    first, second = house.submit(gpus=1), house.submit(gpus=1)

    told = why(house, second)

    assert (told.verdict, told.position) == ("waiting", 2)
    assert (
        told.text
        == f"job {second.number} waits: n1 has 0 free cards, 1 asked for; it is number 2 in line"
    )
    assert [(node.node, node.code, node.never) for node in told.nodes] == [
        ("n1", "too_few_free_cards", False)
    ]
    assert told.blockers == (
        BlockerView(
            job=holder.number,
            user="alice",
            node="n1",
            cards=("GPU-n1-0",),
            ends_at=utc_text(house.now + 3600),
            ends_kind="certain",
        ),
    )
    assert why(house, first).position == 1


def test_a_job_on_a_node_it_does_not_name_is_not_in_the_way(house: House) -> None:
    house.node("n2", a_card(0))
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    here, _there = (house.running(house.submit(gpus=1, nodes=[name])) for name in ("n1", "n2"))

    told = why(house, house.submit(gpus=1, nodes=["n1"]))

    assert [blocker.job for blocker in told.blockers] == [here.number]


def test_a_job_in_backoff_has_left_the_line_and_says_until_when(house: House) -> None:
    job = house.submit(restart={"policy": "on-failure", "retries": 1, "backoff": "30s"})
    house.submit(gpus=1)
    house.submit(gpus=1)
    house.ended(house.running(job), exit_code=1)

    told = why(house, job)

    until = moment_text(house.now + 30)
    assert (told.position, told.verdict) == (None, "waiting")
    assert told.text == f"job {job.number} waits: starts attempt 2 at {until} at the earliest"
    assert [(reason.code, reason.scope) for reason in told.reasons] == [("backoff", "job")]


def test_a_paused_queue_is_said_first_with_what_to_do(house: House) -> None:
    house.queue("default", paused=True)

    told = why(house, house.submit())

    assert [(reason.code, reason.scope) for reason in told.reasons] == [("queue_paused", "queue")]
    assert told.advice == ("an admin lets it go on with: mini-eaas queue resume default/default",)


def test_a_full_queue_says_how_many_it_runs(house: House) -> None:
    house.queue("default", max_running=1)
    house.submit()

    assert "may run 1 job at once and runs 1" in why(house, house.submit()).text


def test_a_job_over_its_cap_says_that_waiting_alone_starts_it_never(house: House) -> None:
    house.node("n2", a_card(0), a_card(1))
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    house.queue("default", paused=True)
    job = house.submit(gpus=2)
    larger = "ask for less, or an admin allows more with: mini-eaas "

    house.queue("default", max_gpus_per_user=1, paused=False)
    of_the_user = why(house, job)
    house.queue("default", max_gpus_per_user=None, max_gpus=1)
    of_the_queue = why(house, job)
    house.do(e.ChangePool(caller=ADMIN, name="default", settings=SetPool(max_gpus_per_user=1)))
    house.queue("default", max_gpus=None)
    of_the_pool = why(house, job)

    assert "may hold 1 card at once; this job asks for 2" in of_the_user.text
    assert of_the_user.advice == (f"{larger}queue set default/default --max-gpus-per-user 2",)
    assert of_the_queue.advice == (f"{larger}queue set default/default --max-gpus 2",)
    assert of_the_pool.advice == (f"{larger}pool set default --max-gpus-per-user 2",)


def test_a_pool_without_nodes_says_how_to_add_one() -> None:
    house = House()
    house.pool("default")

    told = why(house, house.submit())

    assert [reason.code for reason in told.reasons] == ["pool_has_no_nodes"]
    assert (told.verdict, told.advice) == ("waiting", ("mini-eaas pool add default NODE",))


def test_what_can_never_start_says_so_and_what_to_change(house: House) -> None:
    large = house.submit(gpus=1, gpu_memory="40GiB", force=True)
    many = house.submit(gpus=4, force=True)
    model = house.submit(gpus=1, gpu_type="A100", force=True)

    assert [why(house, job).verdict for job in (large, many, model)] == ["never"] * 3
    assert why(house, large).advice == ("ask for 24GiB or less with gpu_memory",)
    assert why(house, many).advice == ("ask for 1 card or fewer with gpus",)
    assert why(house, model).advice == ("the models there are: NVIDIA GeForce RTX 3090",)
    assert why(house, large).blockers == ()


def test_all_that_keeps_a_node_from_a_job_is_said_in_its_one_row(house: House) -> None:
    job = house.submit(gpus=4, mounts=["data:/data"], memory="8TiB", force=True)

    told = why(house, job)

    (row,) = told.nodes
    assert (row.code, row.never, row.text.count("; ")) == ("mount_missing", True, 2)
    assert row.text in told.text


def test_an_offline_node_says_since_when(house: House) -> None:
    house.quiet_start()
    since = moment_text(house.now)
    house.silence("n1")

    told = why(house, house.submit())

    assert told.nodes[0].text == f"n1 is offline since {since}"


def test_a_node_that_is_missed_is_silent_for_so_long_and_has_not_just_connected(
    house: House,
) -> None:
    waits, runs = house.submit(gpus=8, force=True), house.running(house.submit(gpus=1))
    house.do(e.AgentGone(node=NodeName("n1"), session="s-n1", why="cut"))

    explainer = Explainer(house.state, house.now + 8)

    alike = explainer.why(house.submit())
    assert alike.nodes[0].code == "node_offline"
    assert alike.nodes[0].text == "n1 has been silent for 8s"
    assert explainer.why(house.job(runs.number)).text == (
        f"job {runs.number} is Running: n1 has been silent for 8s; the job may still run there"
    )
    assert explainer.why(house.job(waits.number)).verdict == "never"
    assert house.job(runs.number).reason is None


def test_beats_that_do_not_come_are_told_of_before_the_connection_ends(house: House) -> None:
    runs = house.running(house.submit())

    told = [Explainer(house.state, house.now + s).as_of_now(runs) for s in (4, 7)]

    assert told[0] is None
    assert isinstance(told[1], r.NodeSilent)
    assert sentence(told[1]) == "n1 has been silent for 7s; the job may still run there"


def test_a_job_that_does_not_wait_says_what_it_is(house: House) -> None:
    job = house.submit()
    assert (why(house, job).verdict, why(house, job).text) == ("placed", "job 1 is Starting on n1")

    ended = house.ended(house.running(job), exit_code=3)

    assert why(house, ended).text == "job 1 is Failed: exited with code 3"


def test_an_unknown_job_says_who_is_silent(house: House) -> None:
    job = house.running(house.submit())
    house.quiet_start()
    house.silence("n1")

    assert "n1 has been silent since" in why(house, job).text


def test_a_removed_node_that_the_job_names_makes_it_wait_for_a_node(house: House) -> None:
    house.node("n2")
    house.do(e.AddToPool(caller=ADMIN, pool="default", node="n2", cards=None))
    house.queue("default", paused=True)
    job = house.submit(nodes=["n2"])
    house.do(e.RemoveNode(caller=ADMIN, node="n2"))
    house.queue("default", paused=False)

    told = why(house, job)

    assert (told.verdict, [node.code for node in told.nodes]) == ("never", ["node_not_asked"])


def test_jobs_that_ask_for_the_same_are_told_apart_by_what_lets_one_take_what_is_kept() -> None:
    house = House()
    house.node("n1", a_card(0), a_card(1))
    house.pool("default", "n1")
    house.running(house.submit(gpus=1, timeout="1h"))
    wide, low, urgent, top = (house.submit(gpus=gpus) for gpus in (2, 1, 1, 1))
    house.state.put_job(replace(urgent, priority=1))
    house.state.put_job(replace(top, rank=-1))
    explainer = Explainer(house.state, house.now)

    told = [explainer.waiting(house.job(each.number)).nodes for each in (low, urgent, top, wide)]

    assert [[reason.code for reason in reasons] for reasons in told] == [
        ["card_reserved"],
        [],
        [],
        ["too_few_free_cards"],
    ]


def test_alike_jobs_are_looked_at_once(house: House) -> None:
    jobs = [house.submit(gpus=1) for _ in range(3)]
    explainer = Explainer(house.state)

    assert explainer.waiting(jobs[1]) is explainer.waiting(jobs[2])
    assert explainer.reason(jobs[1]) == r.TooFewFreeCards(node=NodeName("n1"), asked=1, available=0)


def test_a_job_that_is_starting_again_says_where_and_how_the_last_attempt_ended() -> None:
    house = House()
    house.node("n1")
    house.pool("default", "n1")
    job = house.submit()
    house.ended(job, exit_code=None, cause="start_failed", fault="node", text="no route to host")
    house.now += 60
    house.do(e.Tick())

    why = Explainer(house.state).why(house.job(job.number))

    assert why.text == (
        "job 1 is Starting on n1; this is attempt 2, the last one: no route to host"
    )


def test_who_has_no_account_on_any_node_is_told_so_before_the_job_is_taken() -> None:
    house = House()
    house.node("n1", runtime="process", people=("root",))
    house.pool("default", "n1")

    with pytest.raises(NeverFits) as refusal:
        house.do(e.Submit(caller=ALICE, specs=(read_spec({"command": "true"}),)))

    assert "n1 can't run a plain process as alice" in str(refusal.value)


def test_a_forced_job_waits_for_its_account_and_starts_when_there_is_one() -> None:
    house = House()
    house.node("n1", runtime="process", people=("root",))
    house.pool("default", "n1")
    specs = (read_spec({"command": "true"}),)
    (job,) = house.do(e.Submit(caller=ALICE, specs=specs, force=True))

    told = why(house, job)
    house.node("n1", runtime="process", people=("root", "alice"))

    assert (told.verdict, [node.code for node in told.nodes]) == ("never", ["no_account"])
    assert told.advice == ("let alice have an account on one of n1, or name an image",)
    assert house.job(job.number).state == "Starting"
