"""Tokens: whole or refused, and never seen by accident."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.tokens import BadToken, Token, TokenKind, fingerprint, new_token, read_token

CA = fingerprint(b"a certificate")


@pytest.mark.parametrize("kind", ["person", "join", "node"])
def test_what_is_written_is_read_back(kind: TokenKind) -> None:
    token = new_token(kind, CA)

    assert read_token(f"  {token}\n") == token
    assert token.kind == kind
    assert token.ca == CA


def test_no_two_tokens_are_alike_and_a_secret_has_160_bits() -> None:
    made = [new_token("person", CA) for _ in range(200)]

    assert len({token.id for token in made}) == len({token.secret for token in made}) == 200
    assert {len(token.secret) * 5 for token in made} == {160}


@given(place=st.integers(min_value=0), letter=st.sampled_from("abcdefghijklmnopqrstuvwxyz234567."))
def test_every_slip_in_one_sign_is_noticed(place: int, letter: str) -> None:
    text = str(Token(ca=CA, id="uabcdefgh", secret="q" * 32))
    place %= len(text)
    slip = text[:place] + letter + text[place + 1 :]

    if slip == text:
        assert str(read_token(slip)) == text
    else:
        with pytest.raises(BadToken):
            read_token(slip)


@pytest.mark.parametrize("text", ["", "hunter2", "eaas1.", "eaas2.a.b.c"])
def test_what_is_no_token_is_told_without_being_quoted(text: str) -> None:
    with pytest.raises(BadToken) as refused:
        read_token(text + "secret")

    assert "secret" not in refused.value.sentence


def test_a_part_of_a_token_is_refused() -> None:
    text = str(new_token("join", CA))

    for end in range(1, len(text)):
        with pytest.raises(BadToken):
            read_token(text[:-end])


def test_a_token_shown_by_accident_shows_no_secret() -> None:
    token = new_token("node", CA)

    assert token.secret not in repr(token)
    assert token.secret not in repr([token])
    assert token.id in repr(token)


def test_what_is_kept_is_a_hash_of_the_secret() -> None:
    token = new_token("person", CA)

    assert token.secret_hash == hashlib.sha256(token.secret.encode()).digest()
