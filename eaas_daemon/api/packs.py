"""Packed folders by content: uploaded once, fetched by the agents whose attempts need them."""

import asyncio
import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from eaas.errors import EaasError, NotFound, TooLarge, Unavailable
from eaas.packs import MAX_PACK_BYTES

PIECE_BYTES: Final = 256 * 1024
_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")


class WrongPack(EaasError):
    """The bytes are not those that the name promises."""

    code = "wrong_pack"
    http_status = 422


class PackStore:
    """The packs of one controller, in files named by their hash."""

    def __init__(self, root: Path, *, max_bytes: int = MAX_PACK_BYTES) -> None:
        self.root: Final = root
        self._max_bytes = max_bytes

    def path(self, name: str) -> Path:
        """Return where a pack ``sha256:...`` lies, or would; refuse what is no such name."""
        match = _HASH.fullmatch(name)
        if match is None:
            raise NotFound("a pack is named sha256: and 64 hex digits")
        return self.root / match[1][:2] / match[1]

    def has(self, name: str) -> bool:
        """Tell whether the pack is here."""
        return self.path(name).exists()

    def found(self, name: str) -> Path:
        """Return the pack's file."""
        path = self.path(name)
        if not path.exists():
            raise NotFound(f"there is no pack {name}")
        return path

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> bool:
        """Store the bytes if they are what the name promises; return whether the pack is new."""
        path = self.path(name)
        is_new = not path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.NamedTemporaryFile(dir=self.root, prefix="part-", delete=False) as file:
                temporary = Path(file.name)
                try:
                    found = await self._copy(pieces, file.fileno())
                    if found != path.name:
                        raise WrongPack(f"the bytes have the hash sha256:{found}, not {name}")
                    await asyncio.to_thread(os.fsync, file.fileno())
                    temporary.replace(path)
                except BaseException:
                    temporary.unlink(missing_ok=True)
                    raise
        except ConnectionError:
            raise  # the upload broke, not the disk
        except OSError as error:
            raise Unavailable(f"the pack can't be stored now: {error.strerror}") from error
        return is_new

    async def _copy(self, pieces: AsyncIterator[bytes], handle: int) -> str:
        digest = hashlib.sha256()
        size = 0
        async for piece in pieces:
            size += len(piece)
            if size > self._max_bytes:
                raise TooLarge(f"a pack may have {self._max_bytes >> 20} MiB at most")
            digest.update(piece)
            os.write(handle, piece)
        return digest.hexdigest()
