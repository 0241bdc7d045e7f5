"""As whom a plain process runs."""

import pwd

import pytest

from eaas_agent.runtimes.port import StartFailed
from eaas_agent.runtimes.process_identity import Identity, identity_of

NOBODY = pwd.getpwnam("nobody")


@pytest.mark.parametrize(
    ("run_as", "my_uid", "identity"),
    [
        (None, 1000, None),
        ("1000:1000", 1000, None),
        ("1000:1000", 0, Identity(1000, 1000)),
        ("0", 0, Identity(0, 0)),
        ("54321", 0, Identity(54321, 54321)),
    ],
)
@pytest.mark.parametrize("person", [None, "root"])
def test_the_identity_to_become(
    run_as: str | None, my_uid: int, identity: Identity | None, person: str | None
) -> None:
    assert identity_of(run_as, person=person, my_uid=my_uid, my_gid=my_uid) == identity


@pytest.mark.parametrize("run_as", ["root", "1000:", "-1", "1:2:3", ""])
def test_a_user_that_is_no_number_is_refused(run_as: str) -> None:
    with pytest.raises(StartFailed, match="is not a number or two"):
        identity_of(run_as, my_uid=0, my_gid=0)


def test_another_user_is_refused_when_we_are_not_root() -> None:
    with pytest.raises(StartFailed, match="needs an agent that runs as root") as caught:
        identity_of("1001:1001", my_uid=1000, my_gid=1000)

    assert caught.value.fault == "user"


@pytest.mark.parametrize("run_as", [None, f"{NOBODY.pw_uid}", f"{NOBODY.pw_uid}:{NOBODY.pw_gid}"])
def test_a_persons_process_is_theirs_and_never_roots(run_as: str | None) -> None:
    identity = identity_of(run_as, person="nobody", my_uid=0, my_gid=0)

    assert identity == Identity(NOBODY.pw_uid, NOBODY.pw_gid)


def test_a_person_without_a_name_is_known_by_number() -> None:
    assert identity_of(None, person="54321", my_uid=0, my_gid=0) == Identity(54321, 54321)


@pytest.mark.parametrize("run_as", ["0", "0:0", f"{NOBODY.pw_uid}:0", "1234"])
def test_nobody_runs_as_somebody_else(run_as: str) -> None:
    with pytest.raises(StartFailed, match=r"runs as .* and as nobody else") as caught:
        identity_of(run_as, person="nobody", my_uid=0, my_gid=0)

    assert (caught.value.reason_code, caught.value.fault) == ("bad_user", "user")


def test_nobody_borrows_the_rights_of_an_agent_that_is_not_root() -> None:
    with pytest.raises(StartFailed, match="a plain process of nobody would have that user's"):
        identity_of(None, person="nobody", my_uid=1000, my_gid=1000)

    assert identity_of(None, person="nobody", my_uid=NOBODY.pw_uid, my_gid=NOBODY.pw_gid) is None


def test_a_person_whom_the_node_does_not_know_is_refused() -> None:
    with pytest.raises(StartFailed, match="this node has no user who-is-this"):
        identity_of(None, person="who-is-this", my_uid=0, my_gid=0)
