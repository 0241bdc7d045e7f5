import pytest

from eaas.lives import Obeyed, is_older_copy, named

MINE = Obeyed(epoch=2, life="0000-00000000aaaaaaaa", seq=150)


@pytest.mark.parametrize(
    ("obeyed", "epoch", "past_seq"),
    [
        (Obeyed(), 1, None),
        (Obeyed(epoch=2), 2, None),  # nobody wrote down which life that was
        (MINE, 2, 150),
        (MINE, 2, 151),
        (MINE, 3, None),
    ],
)
def test_who_knows_all_that_was_heard_or_was_restored_on_purpose_is_no_older_copy(
    obeyed: Obeyed, epoch: int, past_seq: int | None
) -> None:
    assert not is_older_copy(obeyed, epoch=epoch, past_seq=past_seq)


@pytest.mark.parametrize(("epoch", "past_seq"), [(2, 149), (2, None), (1, 150), (1, None)])
def test_who_knows_less_or_is_of_an_earlier_epoch_is_an_older_copy(
    epoch: int, past_seq: int | None
) -> None:
    assert is_older_copy(MINE, epoch=epoch, past_seq=past_seq)


def test_a_life_is_named_by_the_end_of_its_id() -> None:
    assert (named(MINE.life), named("")) == ("aaaaaaaa", "of an older version")
