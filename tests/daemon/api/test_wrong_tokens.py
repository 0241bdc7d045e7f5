import pytest

from eaas_daemon.api.wrong_tokens import MOST_ADDRESSES, PER_MINUTE, TooManyTries, WrongTokens
from tests.daemon.api.served import FixedClock


def test_the_eleventh_wrong_token_of_a_minute_is_too_many() -> None:
    wrong = WrongTokens(FixedClock().now)
    for _ in range(PER_MINUTE):
        wrong.note("10.0.0.1")

    with pytest.raises(TooManyTries, match=r"from 10\.0\.0\.1; try again in a minute") as refusal:
        wrong.note("10.0.0.1")

    assert (PER_MINUTE, refusal.value.http_status) == (10, 429)


def test_one_address_does_not_pay_for_another() -> None:
    wrong = WrongTokens(FixedClock().now)
    for _ in range(PER_MINUTE):
        wrong.note("10.0.0.1")

    wrong.note("10.0.0.2")


def test_whoever_goes_on_guessing_has_ten_tries_a_minute_and_no_more() -> None:
    clock = FixedClock()
    wrong = WrongTokens(clock.now)
    taken = 0
    for _ in range(600):
        clock.at += 1
        try:
            wrong.note("10.0.0.1")
        except TooManyTries:
            continue
        taken += 1

    assert taken == 10 * PER_MINUTE


def test_addresses_are_not_remembered_without_end() -> None:
    wrong = WrongTokens(FixedClock().now)
    for number in range(MOST_ADDRESSES + 100):
        wrong.note(f"address {number}")

    assert len(wrong._tries) == MOST_ADDRESSES
