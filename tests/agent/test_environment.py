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
        "EAAS_ARRAY_INDEX": "",
        "EAAS_PREEMPTIONS": "0",
        "EAAS_WORKSPACE": "/workspace",
    }


def test_a_job_cannot_pretend_to_be_another() -> None:
    order = an_order(number=7, env={"EAAS_JOB_ID": "1"})

    assert job_environment(order, "/w")["EAAS_JOB_ID"] == "7"


def test_what_the_controller_counts_comes_through() -> None:
    order = an_order(env={"EAAS_PREEMPTIONS": "2"})

    assert job_environment(order, "/w")["EAAS_PREEMPTIONS"] == "2"
