import msgspec

from eaas.cli.draw_up import card_words, next_steps, runs_as
from tests.eaas.cli.test_system import FREE, card
from tests.eaas.client.test_nodes import NODE


def test_a_node_says_in_words_how_it_runs_jobs() -> None:
    docker = msgspec.structs.replace(NODE, runtime="docker", engine="Docker 27.1")

    assert runs_as(docker) == "containers (Docker 27.1)"
    assert "nothing isolates them" in runs_as(NODE)
    assert runs_as(msgspec.structs.replace(NODE, runtime=None)) == "unknown"


def test_cards_are_counted_by_model() -> None:
    assert card_words([]) == "0 cards"
    assert card_words([FREE, FREE, card(model="A100", simulated=True)]) == (
        "2 x RTX 3090, 1 x A100 (simulated)"
    )


def test_the_next_steps_name_an_image_only_where_jobs_run_in_containers() -> None:
    containers = msgspec.structs.replace(NODE, pools=["default"], runtime="docker")
    processes = msgspec.structs.replace(containers, runtime="process")

    assert "--image mini-eaas/hello:1" in str(next_steps([containers]))
    assert "--image" not in str(next_steps([processes]))


def test_a_demo_shows_how_to_get_one_of_its_cards() -> None:
    demo = msgspec.structs.replace(NODE, pools=["demo"])

    assert "--pool demo --gpus 1" in str(next_steps([demo]))
    assert "--pool demo" not in str(next_steps([NODE]))
