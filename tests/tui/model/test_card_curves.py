from eaas_tui.model.card_curves import card_curves, card_name, since
from eaas_tui.model.picture import Samples
from tests.rig.views import a_card

SAMPLES = Samples(every_s=5, utilization_pct=(10, None), memory_pct=(50, None))


def test_a_cards_memory_is_told_in_gib_and_what_was_not_measured_stays_unknown() -> None:
    load, memory = card_curves("card 0", a_card(0, memory_total_mib=24 * 1024), SAMPLES)

    assert (load.unit, load.top, load.values) == ("%", 100, (10, None))
    assert (memory.unit, memory.top, memory.values) == ("GiB", 24, (12, None))


def test_of_a_card_that_is_gone_the_share_is_told_and_of_one_never_seen_nothing() -> None:
    assert card_curves("card 0", None, SAMPLES)[1].values == (50, None)
    assert card_curves("card 0", None, None) == []


def test_a_card_is_called_by_its_index_or_else_by_the_beginning_of_its_uuid() -> None:
    assert card_name("GPU-0123456789abcdef", 3) == "card 3"
    assert card_name("GPU-0123456789abcdef", None) == "card GPU-01234567"


def test_only_what_was_seen_since_a_beginning_is_kept() -> None:
    samples = Samples(every_s=5, utilization_pct=(1, 2, 3), memory_pct=(4, 5, 6))

    kept = since(samples, 1000.0, 1006.0)

    assert kept is not None
    assert (kept.utilization_pct, kept.memory_pct) == ((2, 3), (5, 6))
    assert since(samples, 1000.0, 999.0) == since(samples, 1000.0, 1001.0)
    assert since(samples, None, 1006.0) is samples
    assert since(None, 1000.0, 1006.0) is None
