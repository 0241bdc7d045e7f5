from eaas.ids import CardUuid, NodeName, PoolName
from eaas.lifecycle import JobState
from eaas_daemon.core.model import Pool, Trouble
from eaas_daemon.store import rows
from tests.daemon.store.builders import a_credential, a_job, a_key, a_line, a_node, an_attempt


def test_a_job_is_the_same_after_its_row() -> None:
    job = a_job(1, JobState.RUNNING, attempts=(an_attempt(1, JobState.RUNNING),))
    row = rows.job_row(job)

    number, _, _, _, pool, _, state, _, _, _, ended, body = row
    assert rows.job_from(body) == job
    assert (number, state, ended, pool) == (1, "Running", 0, "lab")


def test_an_attempt_is_live_as_long_as_it_owns_its_cards() -> None:
    lives = {
        state: rows.attempt_row(a_job(1), an_attempt(1, state))[4]
        for state in (JobState.STARTING, JobState.UNKNOWN, JobState.STOPPING, JobState.FAILED)
    }

    assert list(lives.values()) == [1, 1, 1, 0]


def test_a_line_of_history_and_a_key_are_the_same_after_their_rows() -> None:
    line = a_line(3, job=1, node="n1", user="ann", data={"exit_code": 3, "why": None})

    assert rows.journal_from(rows.journal_row(line)) == line
    assert rows.journal_from(rows.journal_row(a_line(4))) == a_line(4)
    assert rows.key_from(rows.key_row(a_key("k", (1, 2)))) == a_key("k", (1, 2))


def test_a_pool_keeps_the_difference_between_a_whole_node_and_some_cards() -> None:
    pool = Pool(
        name=PoolName("lab"),
        members={NodeName("a"): None, NodeName("b"): (), NodeName("c"): (CardUuid("GPU-1"),)},
    )
    members = [(node, cards) for _, node, cards in rows.member_rows(pool)]

    assert rows.pool_from("lab", None, members) == pool


def test_a_pool_keeps_its_settings_beside_its_members() -> None:
    pool = Pool(
        name=PoolName("lab"), members={NodeName("a"): None}, max_gpus_per_user=3, half_life_s=60.0
    )
    name, body = rows.pool_row(pool)

    assert rows.pool_from(name, body, [("a", None)]) == pool


def test_a_node_keeps_its_inventory() -> None:
    _, _, body = rows.node_row(a_node(session="s"))

    assert rows.node_from(body) == a_node()


def test_a_credential_is_the_same_after_its_row() -> None:
    node = a_credential(role="node", node="n1", node_uid="u", uses_left=3, revoked_at=5.0)
    id, role, body = rows.credential_row(node)

    assert (id, role) == ("uaaaaaaaa", "node")
    assert rows.credential_from(body) == node


def test_a_node_keeps_what_is_wrong_with_it() -> None:
    trouble = Trouble(text="two agents", since=5.0, is_sure=False)
    _, _, body = rows.node_row(a_node(twin=trouble, revoked=trouble))

    assert rows.node_from(body) == a_node(twin=trouble, revoked=trouble)
