import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eaas import reasons as r
from eaas.ids import NodeName
from eaas.job_mounts import MountAsk, may_have
from eaas.lifecycle import JobState
from eaas.wire.from_agent import NamedMount
from eaas_daemon.core import events as e
from eaas_daemon.core.ask import Ask
from eaas_daemon.core.model import Node
from eaas_daemon.core.mounted import mount_hint, never_mounted, unmounted
from tests.rig.builders import House, an_inventory

DATA = NamedMount(name="data", read_only=True)
SCRATCH = NamedMount(name="scratch", users=("ada", "bob"), queues=("train",))
HOME = NamedMount(name="home", per_user=True, people=("ada",))
NAS = NamedMount(name="nas", unavailable="nothing is mounted at /mnt/nas")
ALL = (DATA, SCRATCH, HOME, NAS)


def a_node(*mounts: NamedMount, runtime: str = "docker") -> Node:
    inventory = an_inventory(runtime=runtime, mounts=mounts)
    return Node(name=NodeName("n1"), uid="u", inventory=inventory, version="0", boot_id="b")


def an_ask(*mounts: MountAsk, user: str = "ada", ref: str = "gpu/train") -> Ask:
    return Ask(
        needs_image=True,
        gpus=0,
        gpu_type=None,
        gpu_memory_mib=None,
        cpus_milli=1000,
        memory_mib=0,
        nodes=(),
        mounts=mounts,
        user=user,
        ref=ref,
    )


def wants(name: str, *, writable: bool = True) -> MountAsk:
    return MountAsk(name, f"/{name}", writable)


@pytest.mark.parametrize(
    ("ask", "reasons"),
    [
        (an_ask(), []),
        (an_ask(wants("data", writable=False), wants("scratch"), wants("home")), []),
        (an_ask(wants("nas")), []),
        (an_ask(wants("dat")), [r.MountMissing(node="n1", mount="dat")]),
        (an_ask(wants("data")), [r.MountReadOnly(node="n1", mount="data", target="/data")]),
        (
            an_ask(wants("scratch"), user="eve"),
            [r.MountNotAllowed(node="n1", mount="scratch", allowed="ada, bob in queue train")],
        ),
        (
            an_ask(wants("scratch"), ref="gpu/night"),
            [r.MountNotAllowed(node="n1", mount="scratch", allowed="ada, bob in queue train")],
        ),
        (
            an_ask(wants("home"), wants("data"), user="bob"),
            [
                r.MountWithoutFolder(node="n1", mount="home", user="bob"),
                r.MountReadOnly(node="n1", mount="data", target="/data"),
            ],
        ),
    ],
)
def test_what_keeps_a_node_from_a_mount_is_said(ask: Ask, reasons: list[r.NodeReason]) -> None:
    assert list(never_mounted(a_node(*ALL), ask)) == reasons


def test_plain_processes_have_no_mounts_whatever_their_node_defines() -> None:
    node = a_node(DATA, runtime="process")

    assert list(never_mounted(node, an_ask())) == []
    assert list(never_mounted(node, an_ask(wants("data")))) == [r.RuntimeCannotMount(node="n1")]


def test_a_mount_that_is_away_makes_only_those_wait_who_ask_for_it() -> None:
    assert unmounted(a_node(*ALL), an_ask(wants("data"))) is None
    assert unmounted(a_node(*ALL), an_ask(wants("data"), wants("nas"))) == r.MountUnavailable(
        node="n1", mount="nas", text="nothing is mounted at /mnt/nas"
    )


def test_nobody_is_said_to_have_no_folder_while_nobody_can_look() -> None:
    node = a_node(replace(HOME, unavailable="does not answer"))

    assert list(never_mounted(node, an_ask(wants("home"), user="bob"))) == []


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (an_ask(wants("data")), None),
        (an_ask(wants("scratch"), user="eve"), None),
        (an_ask(wants("dta")), "did you mean mount data?"),
        (an_ask(wants("models")), "the mounts there are: data, home, nas, scratch"),
        (an_ask(wants("models"), user="eve"), "the mounts there are: data, home, nas"),
    ],
)
def test_whoever_names_a_mount_that_is_nowhere_is_told_which_there_are(
    ask: Ask, hint: str | None
) -> None:
    nodes = [a_node(DATA, HOME), a_node(SCRATCH, NAS), a_node(replace(DATA, name="dta"))]
    nodes[2] = replace(nodes[2], inventory=replace(nodes[2].inventory, runtime="process"))

    assert mount_hint(nodes, ask) == hint


def test_a_pool_without_mounts_has_nothing_to_hint_at() -> None:
    assert mount_hint([a_node()], an_ask(wants("data"))) is None


def test_a_job_waits_while_its_mount_is_away_and_starts_when_it_is_back() -> None:
    house = House()
    house.node("n1", mounts=[NAS])
    house.pool("default", "n1")

    job = house.submit(mounts=["nas:/data"])
    assert job.state is JobState.PENDING
    inventory = an_inventory(mounts=[replace(NAS, unavailable=None)])
    house.do(e.AgentInventory(node=NodeName("n1"), session="s-n1", inventory=inventory))

    assert house.job(job.number).state is JobState.STARTING


NAMES = st.sampled_from(["a", "b"])
PEOPLE = st.sets(st.sampled_from(["ada", "bob"])).map(lambda names: tuple(sorted(names)))
MOUNTS = st.builds(
    NamedMount,
    name=NAMES,
    read_only=st.booleans(),
    unavailable=st.sampled_from([None, "away"]),
    users=PEOPLE,
    queues=st.sampled_from([(), ("train",), ("gpu/train",), ("cpu/train", "night")]),
    people=st.none() | PEOPLE,
)


@given(
    st.lists(MOUNTS, max_size=2, unique_by=lambda mount: mount.name),
    st.builds(MountAsk, NAMES, st.just("/x"), st.booleans()),
    st.sampled_from(["ada", "bob"]),
    st.sampled_from(["gpu/train", "cpu/train", "gpu/night"]),
)
def test_a_job_gets_a_mount_only_where_all_that_its_owner_says_allows_it(
    mounts: list[NamedMount], asked: MountAsk, user: str, ref: str
) -> None:
    node, ask = a_node(*mounts), an_ask(asked, user=user, ref=ref)

    given_to_it = not [*never_mounted(node, ask)] and unmounted(node, ask) is None

    mount = next((mount for mount in mounts if mount.name == asked.name), None)
    assert given_to_it == (
        mount is not None
        and mount.unavailable is None
        and may_have(mount.users, mount.queues, user=user, ref=ref)
        and not (mount.read_only and asked.writable)
        and (mount.people is None or user in mount.people)
    )
