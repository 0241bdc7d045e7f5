"""How often somebody came with a wrong token: guessing is made slow, for whoever guesses."""

from collections.abc import Callable
from typing import Final

from eaas.errors import EaasError

PER_MINUTE: Final = 10
WITHIN_S: Final = 60.0
MOST_ADDRESSES: Final = 4096


class TooManyTries(EaasError):
    """Too many wrong tokens came from one address."""

    code = "too_many_tries"
    http_status = 429


class WrongTokens:
    """Counts them by address. Who has a right token is not held up by a neighbour's mistakes."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._tries: dict[str, list[float]] = {}

    def note(self, address: str) -> None:
        """Count one more; raise ``TooManyTries`` when there are too many."""
        now = self._now()
        recent = [at for at in self._tries.pop(address, ()) if now - at < WITHIN_S]
        is_much = len(recent) >= PER_MINUTE
        if not is_much:
            recent.append(now)
        self._tries[address] = recent
        while len(self._tries) > MOST_ADDRESSES:
            self._tries.pop(next(iter(self._tries)))
        if is_much:
            raise TooManyTries(f"too many wrong tokens from {address}; try again in a minute")
