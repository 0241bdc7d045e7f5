"""Knows which images this node has, and gets the ones that a job needs."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from aiodocker import DockerError
from msgspec import structs

from eaas_agent.runtimes.docker_config import MIB, split_reference
from eaas_agent.runtimes.docker_engine import Engine
from eaas_agent.runtimes.docker_mirror import at_hub, at_mirror
from eaas_agent.runtimes.docker_pull import PullPatience, pull
from eaas_agent.runtimes.hello_image import HELLO_IMAGE, provide_hello
from eaas_agent.runtimes.port import CachedImage, Phase, StartFailed

TRUSTED_S: Final = 60.0
"""How long an image that was seen needs no second look; a vanished one is noticed on create."""
TRIES_AT_A_MIRROR: Final = 2
"""Then Docker Hub itself is asked."""


class ImageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an image that lies on this node."""

    reference: str
    """Exactly this image for the engine: by digest where a registry gave one, else by its name."""
    digest: str | None
    """The registry's ``sha256:...``; None for an image that was made here."""
    user: str
    """Whom it runs as unless told otherwise; empty for root."""


class ImageShelf:
    """The images of one engine. Looks at most once a minute, pulls what is missing.

    Where a mirror is named, Docker Hub's images come from there if it has them. They keep their
    names for people, and their digests are the Hub's.
    """

    def __init__(
        self,
        engine: Engine,
        patience: PullPatience,
        monotonic: Callable[[], float],
        mirror: str | None = None,
    ) -> None:
        self._engine = engine
        self._mirror = mirror
        self._patience = patience
        self._now = monotonic
        self._seen: dict[str, tuple[float, ImageFacts]] = {}
        self._making_hello = asyncio.Lock()

    async def provide(
        self, image: str, digest: str | None, progress: Callable[[Phase], None]
    ) -> ImageFacts:
        """Return the image's facts once it lies here; raise ``StartFailed`` if it can't be had.

        ``image`` was checked with ``is_reference``: it becomes a part of a URL.
        """
        wanted = pinned(image, digest)
        at, known = self._seen.get(wanted, (0.0, None))
        if known is not None and self._now() - at < TRUSTED_S:
            return known
        facts = await self._here(wanted) or await self._get(wanted, progress)
        self._remember(wanted, facts)
        return facts

    def forget(self, image: str, digest: str | None) -> None:
        """Look again next time: the engine said that the image is gone."""
        self._seen.pop(pinned(image, digest), None)

    async def list(self) -> tuple[CachedImage, ...]:
        """Return every image with a name, by name."""
        answer = await self._engine.call("GET", "images/json")
        found = [_cached(name, entry) for entry in answer for name in entry.get("RepoTags") or ()]
        by_name = {self._plain(image.name): image for image in found if image}
        return tuple(structs.replace(image, name=name) for name, image in sorted(by_name.items()))

    async def _get(self, wanted: str, progress: Callable[[Phase], None]) -> ImageFacts:
        if wanted == HELLO_IMAGE:
            async with self._making_hello:
                if facts := await self._look(wanted):
                    return facts
                await provide_hello(
                    self._engine, progress, lambda image: self._fetch(image, progress)
                )
                name = wanted
        else:
            name = await self._fetch(wanted, progress)
        if facts := await self._look(name):
            return facts
        raise StartFailed(
            f"image {wanted} was pulled but is not there", code="engine_error", fault="node"
        )

    async def _fetch(self, wanted: str, progress: Callable[[Phase], None]) -> str:
        """Pull the image and return the name under which it lies here."""
        name = at_mirror(self._mirror, wanted) if self._mirror else None
        if name is None:
            await pull(self._engine, wanted, progress, self._patience)
            return wanted
        patience = structs.replace(self._patience, tries=TRIES_AT_A_MIRROR)
        try:
            await pull(self._engine, name, progress, patience)
        except StartFailed as at_the_mirror:
            try:
                await pull(self._engine, wanted, progress, self._patience)
            except StartFailed as failure:
                raise StartFailed(
                    f"{failure.sentence}; before, at the mirror: {at_the_mirror.sentence}",
                    code=failure.reason_code,
                    fault=failure.fault,
                ) from failure
            return wanted
        return name

    async def _here(self, wanted: str) -> ImageFacts | None:
        if facts := await self._look(wanted):
            return facts
        name = at_mirror(self._mirror, wanted) if self._mirror else None
        return None if name is None else await self._look(name)

    def _plain(self, name: str) -> str:
        return at_hub(self._mirror, name) if self._mirror else name

    async def _look(self, wanted: str) -> ImageFacts | None:
        try:
            answer = await self._engine.call("GET", f"images/{wanted}/json")
        except DockerError as error:
            if error.status != 404:
                raise
            return None
        return _facts(wanted, answer)

    def _remember(self, wanted: str, facts: ImageFacts) -> None:
        now = self._now()
        self._seen = {key: seen for key, seen in self._seen.items() if now - seen[0] < TRUSTED_S}
        self._seen[wanted] = (now, facts)


def pinned(image: str, digest: str | None) -> str:
    """Return the reference of exactly this content; the name alone when no digest is known."""
    if digest is None or "@" in image:
        return image
    return f"{split_reference(image)[0]}@{digest}"


def _facts(wanted: str, answer: Mapping[str, Any]) -> ImageFacts:
    digest = _digest(wanted, answer)
    return ImageFacts(
        reference=pinned(wanted, digest),
        digest=digest,
        user=(answer.get("Config") or {}).get("User") or "",
    )


def _digest(name: str, answer: Mapping[str, Any]) -> str | None:
    """Return the digest under which the image's own repository knows it."""
    repository = _familiar(split_reference(name)[0])
    for entry in answer.get("RepoDigests") or ():
        known, _, digest = entry.partition("@")
        if digest and _familiar(known) == repository:
            return str(digest)
    return None


def _familiar(repository: str) -> str:
    """Return the short form that the engine lists Docker Hub's repositories under."""
    return repository.removeprefix("docker.io/").removeprefix("library/")


def _cached(name: str, entry: Mapping[str, Any]) -> CachedImage | None:
    if name == "<none>:<none>":
        return None
    return CachedImage(name=name, digest=_digest(name, entry), size_mib=entry.get("Size", 0) // MIB)
