from msgspec.structs import replace

from eaas.cli.images import image_table, images_of
from eaas.node_views import ImageView
from tests.eaas.cli.conftest import Type
from tests.rig.stand_in import StandIn
from tests.rig.views import a_node

HELLO = ImageView(name="mini-eaas/hello:1", digest=None, size_mib=2)
TORCH = ImageView(name="pytorch/pytorch:latest", digest="sha256:" + "a" * 64, size_mib=9000)


def test_an_image_is_listed_once_with_the_nodes_that_have_it() -> None:
    nodes = [
        replace(a_node("b"), images=(TORCH, HELLO)),
        replace(a_node("a"), images=(TORCH,)),
    ]

    images = images_of(nodes)

    assert [(image.name, image.nodes) for image in images] == [
        ("mini-eaas/hello:1", ("b",)),
        ("pytorch/pytorch:latest", ("a", "b")),
    ]
    assert image_table(images).rows[1][1] == "8.8GiB"


def test_no_image_is_said_so(typing: Type, controller: StandIn) -> None:
    controller.answers["GET /api/v1/nodes"] = {"items": [], "next": None}

    typed = typing("image", "list")

    assert "no image on any node yet" in typed.out + typed.err
