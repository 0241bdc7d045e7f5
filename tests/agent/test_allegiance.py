import pytest

from eaas.lives import Obeyed
from eaas.wire.to_agent import Welcome
from eaas_agent.allegiance import refusal

MINE = Obeyed(epoch=2, life="0000-00000000aaaaaaaa", seq=150)


def a_welcome(*, epoch: int = 2, past_seq: int | None = None, life: str = "l-bbbbbbbb") -> Welcome:
    return Welcome(
        protocol=1,
        session="s",
        epoch=epoch,
        life=life,
        life_seq=0,
        past_seq=past_seq,
        acked_seq=0,
        server_time=0.0,
    )


@pytest.mark.parametrize(
    ("obeyed", "welcome"),
    [
        (Obeyed(), a_welcome(epoch=1)),
        (Obeyed(epoch=2), a_welcome()),  # an older agent has not written down any life
        (Obeyed(epoch=2), a_welcome(life="")),
        (MINE, a_welcome(past_seq=150)),
        (MINE, a_welcome(past_seq=151)),
        (MINE, a_welcome(epoch=3)),
    ],
)
def test_whoever_has_the_obeyed_life_in_its_past_or_was_restored_on_purpose_is_obeyed(
    obeyed: Obeyed, welcome: Welcome
) -> None:
    assert refusal(obeyed, welcome) is None


@pytest.mark.parametrize(
    ("welcome", "knows"),
    [
        (a_welcome(past_seq=149), "knows that only up to change 149"),
        (a_welcome(), "knows nothing of that"),
        (a_welcome(life=""), "this is life of an older version"),
        (a_welcome(epoch=1, past_seq=150), "(epoch 1)"),
    ],
)
def test_an_older_copy_is_refused_with_both_lives_named(welcome: Welcome, knows: str) -> None:
    why = refusal(MINE, welcome)

    assert why is not None
    assert "life aaaaaaaa (epoch 2, up to change 150)" in why
    assert knows in why
    assert "jobs run on" in why
