from eaas_tui.model.card_curves import card_curves
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
