"""A container registry that answers as badly as asked: by the name of the repository."""

import asyncio
import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from aiohttp import ClientConnectionResetError, web

from tests.rig.images import busybox_tar

DOCKER: Final = "application/vnd.docker"


class ServedImage:
    """One image of one layer, as a registry serves it. Nobody has its layer already."""

    def __init__(self) -> None:
        tar = _with_a_note(busybox_tar(), os.urandom(1 << 16))
        self.layer: Final = gzip.compress(tar, 1)
        self.config: Final = _json(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {"Cmd": ["sh"], "Env": ["PATH=/bin"]},
                "rootfs": {"type": "layers", "diff_ids": [_digest(tar)]},
            }
        )
        self.manifest: Final = _json(
            {
                "schemaVersion": 2,
                "mediaType": f"{DOCKER}.distribution.manifest.v2+json",
                "config": _part(f"{DOCKER}.container.image.v1+json", self.config),
                "layers": [_part(f"{DOCKER}.image.rootfs.diff.tar.gzip", self.layer)],
            }
        )
        self.digest: Final = _digest(self.manifest)


class Registry:
    """Has ``good`` and ``slow``; refuses ``missing``, ``secret``, ``broken``, and is ``silent``."""

    def __init__(self) -> None:
        self.address = ""
        self.client_left = asyncio.Event()
        """Somebody who pulled ``slow`` went away."""
        self._closing = asyncio.Event()
        self._images = {"good": ServedImage(), "slow": ServedImage()}

    def close(self) -> None:
        """Let go of those who wait for an answer from ``silent``."""
        self._closing.set()

    @property
    def digest(self) -> str:
        """The digest of ``good``."""
        return self._images["good"].digest

    @staticmethod
    def _name(request: web.Request) -> str:
        """Return the repository's last part: what is in ``library/`` is there without it, too."""
        return request.match_info["name"].rpartition("/")[2]

    async def manifest(self, request: web.Request) -> web.StreamResponse:
        """Answer for a tag or digest."""
        name = self._name(request)
        match name:
            case "missing":
                return _problem(404, "MANIFEST_UNKNOWN", "manifest unknown")
            case "secret":
                return _problem(401, "UNAUTHORIZED", "authentication required")
            case "broken":
                return _problem(503, "UNAVAILABLE", "down for repairs")
            case "silent":
                await self._closing.wait()
                return _problem(503, "UNAVAILABLE", "closing")
        image = self._images[name]
        return web.Response(
            body=image.manifest,
            content_type=f"{DOCKER}.distribution.manifest.v2+json",
            headers={"Docker-Content-Digest": image.digest},
        )

    async def blob(self, request: web.Request) -> web.StreamResponse:
        """Answer with the config or the layer; ``slow`` sends half of the layer, then crumbs."""
        name = self._name(request)
        image = self._images[name]
        if request.match_info["digest"] == _digest(image.config):
            return web.Response(body=image.config)
        if name != "slow":
            return web.Response(body=image.layer)
        response = web.StreamResponse(headers={"Content-Length": str(len(image.layer))})
        await response.prepare(request)
        half = len(image.layer) // 2
        with suppress(ClientConnectionResetError):
            await response.write(image.layer[:half])
            # An engine that no longer wants the layer notices with the next byte that comes.
            for at in range(half, len(image.layer)):
                await response.write(image.layer[at : at + 1])
                await asyncio.sleep(0.02)
        self.client_left.set()
        return response


@asynccontextmanager
async def running_registry() -> AsyncIterator[Registry]:
    """Serve on a free port of the loopback, where engines speak plain HTTP."""
    registry = Registry()
    app = web.Application()
    app.router.add_get("/v2/", _answer)
    app.router.add_get("/v2/{name:.+}/manifests/{reference}", registry.manifest)
    app.router.add_get("/v2/{name:.+}/blobs/{digest}", registry.blob)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    registry.address = f"{host}:{port}"
    try:
        yield registry
    finally:
        registry.close()
        await runner.cleanup()


async def _answer(_: web.Request) -> web.Response:
    return web.json_response({})


def _problem(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"errors": [{"code": code, "message": message}]}, status=status)


def _with_a_note(tar: bytes, note: bytes) -> bytes:
    buffer = io.BytesIO(tar)
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        entry = tarfile.TarInfo("etc/note")
        entry.size = len(note)
        archive.addfile(entry, io.BytesIO(note))
    return buffer.getvalue()


def _part(kind: str, data: bytes) -> dict[str, Any]:
    return {"mediaType": kind, "size": len(data), "digest": _digest(data)}


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
