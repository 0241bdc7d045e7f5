import pytest

from eaas_agent.runtimes.docker_mirror import at_hub, at_mirror

MIRROR = "registry.lan:5000/hub"


@pytest.mark.parametrize(
    ("image", "there"),
    [
        ("busybox", "library/busybox"),
        ("busybox:1@sha256:00", "library/busybox:1@sha256:00"),
        ("pytorch/pytorch:2.4", "pytorch/pytorch:2.4"),
        ("docker.io/library/busybox", "library/busybox"),
    ],
)
def test_what_the_hub_has_is_at_the_mirror_under_the_same_path(image: str, there: str) -> None:
    assert at_mirror(MIRROR, image) == f"{MIRROR}/{there}"


@pytest.mark.parametrize("image", ["ghcr.io/a/b:1", "localhost/a", "host:5000/a", "a.b/c"])
def test_an_image_of_another_registry_is_left_alone(image: str) -> None:
    assert at_mirror(MIRROR, image) is None


@pytest.mark.parametrize("image", ["busybox:1", "pytorch/pytorch:2.4", "ghcr.io/a/b:1"])
def test_people_see_the_name_that_they_know(image: str) -> None:
    assert at_hub(MIRROR, at_mirror(MIRROR, image) or image) == image
