"""How many agents may greet at once, and how often each: a pool that comes back is no storm."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from eaas.errors import Unavailable

AT_ONCE: Final = 20
PER_NODE: Final = 3
WITHIN_S: Final = 8.0
"""Of a node that is let in by a credential; on this host nobody knows before the greeting."""
MOST_NODES: Final = 4096


class TooManyHandshakes(Unavailable):
    """Agents come faster than they are greeted; each tries again by itself."""

    code = "too_many_handshakes"


class Handshake:
    """The greeting of one connection."""

    def __init__(self, over: Callable[[], None]) -> None:
        self._over: Callable[[], None] | None = over

    def over(self) -> None:
        """Let another one begin; again does nothing."""
        if self._over is not None:
            self._over()
            self._over = None


class Handshakes:
    """Counts greetings under way, and when each node began its last ones."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """``monotonic`` gives seconds since whenever."""
        self._monotonic = monotonic
        self._under_way = 0
        self._begun: dict[str, list[float]] = {}

    @contextmanager
    def one(self, node: str | None) -> Iterator[Handshake]:
        """Let an agent greet while the block runs, or until it says that it has.

        Raises ``TooManyHandshakes``.
        """
        if self._under_way >= AT_ONCE:
            raise TooManyHandshakes(f"{AT_ONCE} agents are being greeted; try again in a moment")
        if node is not None:
            self._note(node)
        self._under_way += 1
        handshake = Handshake(self._one_less)
        try:
            yield handshake
        finally:
            handshake.over()

    def _one_less(self) -> None:
        self._under_way -= 1

    def _note(self, node: str) -> None:
        now = self._monotonic()
        lately = [at for at in self._begun.pop(node, ()) if now - at < WITHIN_S]
        self._begun[node] = lately
        if len(lately) >= PER_NODE:
            raise TooManyHandshakes(
                f"{node} connected {PER_NODE} times in {WITHIN_S:.0f} s; try again in a moment"
            )
        lately.append(now)
        while len(self._begun) > MOST_NODES:
            self._begun.pop(next(iter(self._begun)))
