from eaas.wire.to_agent import Rank
from eaas_agent.environment import job_environment
from tests.rig.agents import an_order


def test_a_job_learns_who_it_is() -> None:
    order = an_order(uid="u", number=42, attempt=3, cards=("GPU-a", "GPU-b"), env={"HF_HOME": "/d"})

    assert job_environment(order, "/workspace") == {
        "HF_HOME": "/d",
        "EAAS_JOB_ID": "42",
        "EAAS_JOB_UID": "u",
        "EAAS_ATTEMPT": "3",
        "EAAS_CARDS": "GPU-a,GPU-b",
        "EAAS_GPU_MEMORY_MIB": "",
        "EAAS_ARRAY_INDEX": "",
        "EAAS_PREEMPTIONS": "0",
        "EAAS_WORKSPACE": "/workspace",
    }


def test_a_job_cannot_pretend_to_be_another() -> None:
    order = an_order(number=7, env={"EAAS_JOB_ID": "1"})

    assert job_environment(order, "/w")["EAAS_JOB_ID"] == "7"


def test_a_job_that_shares_a_card_learns_how_much_of_it_is_its_own() -> None:
    env = job_environment(an_order(cards=("GPU-a",), share_mib=6144), "/w")

    assert (env["EAAS_CARDS"], env["EAAS_GPU_MEMORY_MIB"]) == ("GPU-a", "6144")


def test_what_the_controller_counts_comes_through() -> None:
    order = an_order(env={"EAAS_PREEMPTIONS": "2"})

    assert job_environment(order, "/w")["EAAS_PREEMPTIONS"] == "2"


SECOND = Rank(rank=1, ranks=2, address="10.0.0.7", port=29542, whole=42)


def test_a_rank_learns_where_all_meet_and_which_one_it_is() -> None:
    env = job_environment(an_order(number=43, cards=("GPU-a", "GPU-b"), rank=SECOND), "/w")

    assert {name: env[name] for name in env if not name.startswith("EAAS_")} == {
        "MASTER_ADDR": "10.0.0.7",
        "MASTER_PORT": "29542",
        "NNODES": "2",
        "NODE_RANK": "1",
        "NPROC_PER_NODE": "2",
        "WORLD_SIZE": "2",
        "RANK": "1",
    }
    assert (env["EAAS_RANK"], env["EAAS_JOB_ID"], env["EAAS_ARRAY_INDEX"]) == ("1", "43", "")


def test_without_cards_there_is_one_process_a_node() -> None:
    assert job_environment(an_order(rank=SECOND), "/w")["NPROC_PER_NODE"] == "1"


def test_where_ranks_meet_a_job_may_say_itself_but_not_which_of_them_it_is() -> None:
    order = an_order(rank=SECOND, env={"MASTER_ADDR": "store.lan", "EAAS_RANK": "0"})

    env = job_environment(order, "/w")

    assert (env["MASTER_ADDR"], env["EAAS_RANK"]) == ("store.lan", "1")
