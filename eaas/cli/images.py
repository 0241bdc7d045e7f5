"""``image``: which images lie on which nodes."""

from collections.abc import Sequence

import click

from eaas.cli.group import Command
from eaas.cli.line import Line, asks
from eaas.cli.output import Table
from eaas.cli.words import size
from eaas.client import Client
from eaas.node_views import ImageView, NodeView
from eaas.views import Page


class ImageOnNodes(ImageView, frozen=True, kw_only=True):
    """An image, and the nodes on which a job with it starts without a pull."""

    nodes: tuple[str, ...]


@click.command("list", cls=Command)
@asks
async def list_images(line: Line, client: Client) -> None:
    """List images and where they lie."""
    images = images_of(await client.nodes())
    line.out.answer(Page(images), lambda: [image_table(images)])


def images_of(nodes: Sequence[NodeView]) -> list[ImageOnNodes]:
    """Return every image once, by name, with the nodes that have it."""
    where: dict[tuple[str, str | None, int], list[str]] = {}
    for node in nodes:
        for image in node.images:
            where.setdefault((image.name, image.digest, image.size_mib), []).append(node.name)
    return [
        ImageOnNodes(name=name, digest=digest, size_mib=mib, nodes=tuple(sorted(names)))
        for (name, digest, mib), names in sorted(where.items(), key=lambda item: str(item[0]))
    ]


def image_table(images: Sequence[ImageOnNodes]) -> Table:
    """Return the list of images."""
    rows = [
        (
            image.name,
            size(image.size_mib),
            ", ".join(image.nodes),
            None if image.digest is None else image.digest[:19],
        )
        for image in images
    ]
    return Table(
        ("IMAGE", "SIZE", "NODES", "DIGEST"),
        rows,
        when_empty="no image on any node yet; a job's image is pulled when it first runs",
    )
