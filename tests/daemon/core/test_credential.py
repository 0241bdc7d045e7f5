from typing import Any

import pytest

from eaas.ids import UserName
from eaas_daemon.core.credential import Credential


def a_credential(**but: Any) -> Credential:
    fields = {
        "id": "uaaaaaaaa",
        "role": "member",
        "secret_hash": b"x",
        "created_at": 1.0,
        "created_by": UserName("root"),
    }
    return Credential(**{**fields, **but})


@pytest.mark.parametrize(
    ("but", "standing", "refusal"),
    [
        ({}, "live", None),
        ({"expires_at": 100.5}, "live", None),
        ({"uses_left": 1}, "live", None),
        (
            {"expires_at": 100.0},
            "expired",
            "token uaaaaaaaa expired at 1970-01-01 00:01:40 UTC",
        ),
        ({"uses_left": 0}, "used_up", "token uaaaaaaaa has been used as often as it may be"),
        (
            {"revoked_at": 5.0, "revoked_by": "ann"},
            "revoked",
            "token uaaaaaaaa was revoked by ann",
        ),
        (
            {"revoked_at": 5.0, "expires_at": 6.0, "uses_left": 0},
            "revoked",
            "token uaaaaaaaa was revoked by somebody",
        ),
    ],
)
def test_a_token_that_lets_nobody_in_says_why(
    but: dict[str, Any], standing: str, refusal: str | None
) -> None:
    credential = a_credential(**but)

    assert (credential.standing(100.0), credential.refusal(100.0)) == (standing, refusal)
