import pwd
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from eaas_agent.accounts import account_of
from eaas_agent.runtimes.docker_facts import EngineFacts
from eaas_agent.runtimes.mount_identity import as_submitter
from eaas_agent.runtimes.port import Bind, RunOrder, StartFailed
from tests.rig.docker_orders import an_order

PLAIN = EngineFacts(version="28.5.2", api_version="1.51")
DATA = Bind(source=Path("/srv/data"), target="/data", read_only=True)
DAEMON = pwd.getpwnam("daemon")


def order(**but: Any) -> RunOrder:
    plain = structs.replace(an_order("box:1", "true", Path("/w")), user="daemon", mounts=(DATA,))
    return structs.replace(plain, **but)


def test_a_job_with_mounts_runs_as_who_submitted_it() -> None:
    ready = as_submitter(order(env={"HOME": "/data"}), PLAIN, my_uid=0)

    account = account_of("daemon")
    assert account is not None
    assert (ready.run_as, ready.groups) == (f"{DAEMON.pw_uid}:{DAEMON.pw_gid}", account.groups)
    assert ready.env == {"HOME": "/data", "USER": "daemon", "LOGNAME": "daemon"}


@pytest.mark.parametrize("run_as", [f"{DAEMON.pw_uid}", f"{DAEMON.pw_uid}:{DAEMON.pw_gid}"])
def test_what_it_would_be_anyway_may_be_asked_for(run_as: str) -> None:
    assert as_submitter(order(run_as=run_as), PLAIN, my_uid=0).run_as == (
        f"{DAEMON.pw_uid}:{DAEMON.pw_gid}"
    )


@pytest.mark.parametrize("run_as", ["0", "0:0", "65534", f"{DAEMON.pw_uid}:0"])
def test_another_user_than_ones_own_is_refused(run_as: str) -> None:
    with pytest.raises(StartFailed, match="runs as who submitted it, and daemon is") as caught:
        as_submitter(order(run_as=run_as), PLAIN, my_uid=0)

    assert (caught.value.reason_code, caught.value.fault) == ("bad_user", "user")


def test_who_has_no_account_on_the_node_is_nobody_there() -> None:
    assert as_submitter(order(user="no-such-user"), PLAIN, my_uid=0).run_as == "65534:65534"


@pytest.mark.parametrize(
    ("but", "facts", "my_uid"),
    [
        ({"mounts": (), "run_as": "0"}, PLAIN, 0),
        ({"user": "root", "run_as": "7:7"}, PLAIN, 0),
        ({"user": None}, PLAIN, 0),
        ({}, PLAIN, DAEMON.pw_uid),
        ({}, structs.replace(PLAIN, rootless=True), 1000),
    ],
)
def test_all_others_run_as_they_say(but: dict[str, Any], facts: EngineFacts, my_uid: int) -> None:
    asked = order(**but)

    assert as_submitter(asked, facts, my_uid=my_uid) == asked
