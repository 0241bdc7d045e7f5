"""Names of Docker Hub's images at a registry that stands in for it."""

from typing import Final

HUB: Final = ("docker.io/", "index.docker.io/")


def at_mirror(mirror: str, image: str) -> str | None:
    """Return the image's name at the mirror; None for an image of another registry than the Hub."""
    name = image
    for host in HUB:
        name = name.removeprefix(host)
    first, slash, _ = name.partition("/")
    if not slash:
        return f"{mirror}/library/{name}"
    is_host = "." in first or ":" in first or first == "localhost"
    return None if is_host else f"{mirror}/{name}"


def at_hub(mirror: str, image: str) -> str:
    """Return the name that people know the image by, whether it came from the mirror or not."""
    if not image.startswith(f"{mirror}/"):
        return image
    return image.removeprefix(f"{mirror}/").removeprefix("library/")
