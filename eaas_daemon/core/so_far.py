"""What a pool's users have had so far, written down where their claims can't tell it any more.

Use is an integral over claims with one half-life on one clock. Where either changes, or a job takes
its past attempts along to another pool, the sum so far is kept with the pool, so that a controller
that starts again counts on from the same.
"""

from msgspec.structs import replace

from eaas.ids import PoolName
from eaas.lifecycle import DEFAULT_HALF_LIFE_S
from eaas_daemon.core.model import Pool, UseSoFar
from eaas_daemon.core.state import State


def counted_on(state: State, pool: Pool, now: float) -> Pool:
    """Return the pool with what its users have had so far; use is counted on from ``now``."""
    known = state.pools.get(pool.name)
    half_life_s = DEFAULT_HALF_LIFE_S if known is None else known.half_life_s
    mine = {key: used for key, used in state.usage.items() if key[0] == pool.name}
    for key, used in mine.items():
        seconds = used.at(now, half_life_s)
        state.put_usage(key, replace(used, card_seconds=seconds, as_of=now))
    seconds_of = {user: state.usage[name, user].card_seconds for name, user in mine}
    return replace(pool, used=UseSoFar(as_of=now, card_seconds=seconds_of))


def count_on(state: State, name: PoolName, now: float) -> None:
    """Let the pool keep what its users have had so far."""
    state.put_pool(counted_on(state, state.pools[name], now))
