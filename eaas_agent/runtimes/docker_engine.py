"""The connection to a container engine: calls with a deadline, streams that really close."""

import io
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiodocker import Docker, DockerError

from eaas.errors import EaasError
from eaas_agent.runtimes.docker_facts import EngineFacts, read_facts

NO_CONNECTION = 900
"""The status that aiodocker invents when nobody listens on the socket."""


class EngineAway(EaasError):
    """The engine does not answer: not there, restarting, or hanging. Says nothing about the job."""

    code = "engine_away"
    http_status = 503


def find_socket(environ: Mapping[str, str]) -> Path | None:
    """Return the engine's socket: DOCKER_HOST's, the system's, or the rootless one, if any."""
    host = environ.get("DOCKER_HOST", "")
    if host.startswith("unix://"):
        return Path(host.removeprefix("unix://"))
    places = [Path("/var/run/docker.sock")]
    if runtime_dir := environ.get("XDG_RUNTIME_DIR"):
        places.append(Path(runtime_dir) / "docker.sock")
    return next((place for place in places if place.is_socket()), None)


class Engine:
    """One engine behind one unix socket.

    A refusal by the engine is aiodocker's ``DockerError``; everything that means "no
    answer" is ``EngineAway``. The number of connections has no limit: every waiting job
    holds two of them.
    """

    def __init__(self, socket_path: Path, *, call_s: float = 30.0) -> None:
        self._path = socket_path
        self._call_s = call_s
        self._docker: Docker | None = None
        self._connector: aiohttp.UnixConnector | None = None
        self._facts: EngineFacts | None = None

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Any = None,
        timeout_s: float | None = None,
    ) -> Any:
        """Return the answer's JSON, None for an empty one; a slow answer is ``EngineAway``."""
        timeout = aiohttp.ClientTimeout(total=timeout_s or self._call_s)
        data = None if body is None else json.dumps(body)
        with self._away_is_told():
            query = self._client()._query(path, method, params=params, data=data, timeout=timeout)
            async with query as response, response:
                text = await response.read()
        return json.loads(text) if text.strip() else None

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        data: io.BytesIO | AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_s: float | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield a response to be read piece by piece; leaving the block ends it at the engine too.

        ``idle_s`` is the longest silence; None waits for ever.
        """
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._call_s, sock_read=idle_s)
        with self._away_is_told():
            query = self._client()._query(
                path, method, params=params, data=data, headers=headers, timeout=timeout
            )
            async with query as response:
                try:
                    yield response
                finally:
                    response.close()

    async def facts(self, *, fresh: bool = False) -> EngineFacts:
        """Return what the engine is; asked once, and again when ``fresh``."""
        if self._facts is None or fresh:
            version = await self.call("GET", "version", timeout_s=10)
            info = await self.call("GET", "info", timeout_s=10)
            self._facts = read_facts(version, info)
        return self._facts

    async def close(self) -> None:
        """Close every connection; a later call opens new ones."""
        docker, connector = self._docker, self._connector
        self._docker = self._connector = None
        if docker is not None:
            await docker.close()
        if connector is not None:
            await connector.close()

    def _client(self) -> Docker:
        if self._docker is None:
            # aiodocker's own connector stops at 100 connections, and each waiting job holds some.
            self._connector = aiohttp.UnixConnector(str(self._path), limit=0)
            # The client's own timeout covers its question for the API's version.
            timeout = aiohttp.ClientTimeout(total=self._call_s)
            self._docker = Docker("unix://localhost", connector=self._connector, timeout=timeout)
        return self._docker

    @contextmanager
    def _away_is_told(self) -> Iterator[None]:
        try:
            yield
        except DockerError as error:
            if error.status != NO_CONNECTION:
                raise
            raise EngineAway(f"no engine answers at {self._path}") from error
        except TimeoutError as error:
            raise EngineAway(f"the engine at {self._path} does not answer in time") from error
        except (aiohttp.ClientError, OSError) as error:
            raise EngineAway(f"the engine at {self._path} broke off: {error}") from error
        except RuntimeError as error:
            if "Connection closed" not in str(error):
                raise
            raise EngineAway(f"the engine at {self._path} broke off") from error
