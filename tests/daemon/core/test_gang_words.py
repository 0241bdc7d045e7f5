from eaas import reasons as r
from eaas.gang_reasons import PoolTooSmall, TooFewNodes
from eaas_daemon.core.ask import ask_of
from eaas_daemon.core.gang_words import called, fewer_nodes, too_few
from tests.rig.builders import House


def test_a_job_says_how_many_of_its_nodes_it_could_have_now() -> None:
    house = House()
    house.nodes("n1", "n2", "n3")
    job = house.submit(num_nodes=3, gpus=1)
    pool, ask = house.state.pools[job.pool], ask_of(job)
    full = r.TooFewFreeCards(node="n1", asked=1, available=0)

    assert too_few(house.state, pool, ask, [full], never=False) == TooFewNodes(asked=3, available=2)
    assert too_few(house.state, pool, ask, [], never=False) is None
    assert too_few(house.state, pool, ask._replace(num_nodes=1), [full], never=False) is None


def test_advice_names_the_most_nodes_that_there_could_be() -> None:
    assert fewer_nodes(PoolTooSmall(pool="default", asked=3, available=1)) == (
        "ask for 1 node or fewer with num_nodes",
    )
    assert fewer_nodes(PoolTooSmall(pool="default", asked=3, available=0)) == ()
    assert fewer_nodes(None) == ()


def test_the_whole_is_called_by_its_number() -> None:
    house = House()
    house.nodes("n1", "n2")
    first, second = house.ranks(house.submit(num_nodes=2))
    alone = house.submit()

    assert [called(job) for job in (first, second, alone)] == ["1", "1", "3"]
