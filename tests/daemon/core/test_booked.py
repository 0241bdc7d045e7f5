from eaas.ids import CardUuid, PoolName, UserName
from eaas_daemon.core.ask import Ask, Shape
from eaas_daemon.core.booked import Booked, Claim, Load, against, barred, left, own
from eaas_daemon.core.booking import Booking

FOR_BOB, FOR_ANN = 1, 2
ASK = Ask(
    needs_image=True,
    gpus=1,
    gpu_type=None,
    gpu_memory_mib=None,
    cpus_milli=1000,
    memory_mib=0,
    nodes=(),
    mounts=(),
)
CARDS = frozenset({CardUuid("GPU-0"), CardUuid("GPU-1")})


def a_shape(user: str, timeout_s: float | None = None) -> Shape:
    return Shape("default/default", UserName(user), timeout_s, ASK)


def a_claim(
    user: str, *, start: float = 1000, end: float = 2000, cards: frozenset[CardUuid] = CARDS
) -> Claim:
    booking = Booking(
        id=FOR_BOB if user == "bob" else FOR_ANN,
        pool=PoolName("default"),
        gpus=len(cards),
        start=start,
        end=end,
        user=UserName(user),
        created_by=UserName("root"),
        created_at=0.0,
    )
    return Claim(booking, cards, cpus_milli=4000 * len(cards), memory_mib=1024 * len(cards))


def a_node(*claims: Claim, loads: tuple[Load, ...] = ()) -> Booked:
    return Booked(now=0.0, claims=claims, loads=list(loads), cpus_milli=16000, memory_mib=4096)


def a_load(user: str, cpus_milli: int, ends_at: float = 1e9) -> Load:
    return Load("default/default", user, ends_at, cpus_milli, 0)


def test_before_the_start_whoever_is_gone_by_then_may_have_booked_cards() -> None:
    booked = a_node(a_claim("bob"))

    assert barred(booked, a_shape("ann", 930), 0.0) == frozenset()
    assert barred(booked, a_shape("ann", 931), 0.0) == CARDS
    assert barred(booked, a_shape("ann"), 0.0) == CARDS


def test_before_the_start_the_rule_is_the_same_for_those_it_is_for() -> None:
    booked = a_node(a_claim("bob"))

    assert barred(booked, a_shape("bob"), 0.0) == CARDS
    assert own(booked, a_shape("bob"), 999.0) == frozenset()


def test_while_it_runs_booked_cards_are_for_its_people_alone() -> None:
    booked = a_node(a_claim("bob"))

    assert barred(booked, a_shape("ann", 1), 1000.0) == CARDS
    assert barred(booked, a_shape("bob"), 1000.0) == frozenset()
    assert own(booked, a_shape("bob"), 1000.0) == CARDS
    assert own(booked, a_shape("ann"), 1000.0) == frozenset()


def test_nobody_counts_on_cards_after_the_end_since_its_people_may_run_on() -> None:
    booked = a_node(a_claim("bob"))

    assert barred(booked, a_shape("ann", 1), 3000.0) == CARDS


def test_a_node_where_nothing_is_booked_bars_nobody() -> None:
    assert against(None, a_shape("ann"), 0.0) == []
    assert left(None, a_shape("ann"), 0.0) == (float("inf"), float("inf"))


def test_each_booked_card_keeps_its_share_of_cpus_and_memory() -> None:
    booked = a_node(a_claim("bob"), loads=(a_load("carl", 3000),))

    assert left(booked, a_shape("ann"), 0.0) == (16000 - 8000 - 3000, 4096 - 2048)
    assert left(booked, a_shape("ann", 60), 0.0) == (float("inf"), float("inf"))


def test_jobs_that_are_gone_by_the_start_leave_their_cpus_to_others() -> None:
    booked = a_node(a_claim("bob"), loads=(a_load("carl", 3000, ends_at=1000),))

    assert left(booked, a_shape("ann"), 0.0)[0] == 16000 - 8000


def test_what_its_people_use_counts_in_place_of_the_share_where_it_is_more() -> None:
    few, many = (a_node(a_claim("bob"), loads=(a_load("bob", n),)) for n in (2000, 9000))

    assert left(few, a_shape("ann"), 1500.0)[0] == 16000 - 8000
    assert left(many, a_shape("ann"), 1500.0)[0] == 16000 - 9000


def test_bookings_at_the_same_time_keep_their_shares_beside_each_other() -> None:
    one, other = frozenset({CardUuid("GPU-0")}), frozenset({CardUuid("GPU-1")})
    booked = a_node(a_claim("bob", cards=one), a_claim("ann", start=1500, end=3000, cards=other))

    assert left(booked, a_shape("carl"), 0.0)[0] == 16000 - 8000
    assert left(booked, a_shape("carl", 1100), 0.0)[0] == 16000 - 4000
    assert left(booked, a_shape("bob"), 1200.0)[0] == 16000 - 4000
