"""What keeps an installation from going well, said before anything is changed."""

from collections.abc import Iterator

from eaas.cli.setup.facts import Asked, Facts
from eaas.cli.setup.places import Places
from eaas.client.address import url_of
from eaas.loopback import is_loopback

NEEDED_MIB = 300


def refusals(asked: Asked, places: Places, facts: Facts) -> list[str]:
    """Return a sentence for each thing that has to be put right first."""
    return [*_for_all(asked, places, facts), *_BY_ROLE[places.role](asked, places, facts)]


def warnings(asked: Asked, places: Places, facts: Facts) -> list[str]:
    """Return a sentence for each thing that works now and may not later."""
    found = []
    if places.role == "controller":
        if facts.outward and facts.outward.by_dhcp and not facts.settings.get("names"):
            found.append(_lent(facts.outward.address, places))
        if facts.has_settings and facts.settings.get("listen") in ("127.0.0.1", "::1"):
            found.append(
                f"{places.settings} has `listen: {facts.settings['listen']}`, so no other machine "
                "reaches this controller; `listen: 0.0.0.0` lets them"
            )
        if facts.runs_as_root:
            found.append("the pool that root's `mini-eaas up` runs here becomes this controller's")
        if facts.own_agent is not None:
            found.append(
                "this machine stays a node of the pool, and its agent becomes a service too"
            )
        if facts.has_settings and asked.port and asked.port != facts.settings.get("port"):
            found.append(f"--port changes nothing: {places.settings} is there and is left as it is")
    elif facts.passport_fits and asked.token is not None:
        found.append("this machine has joined already; the token was not used")
    if facts.has_settings and asked.image_mirror not in (None, facts.settings.get("image_mirror")):
        found.append(
            f"--image-mirror changes nothing: {places.settings} is there and is left as it is; "
            f"write `image_mirror: {asked.image_mirror}` into it and run this again"
        )
    return found


def _for_all(asked: Asked, places: Places, facts: Facts) -> Iterator[str]:
    if facts.is_root and asked.for_user:
        yield "--user is for people who are not root; run it as yourself, without sudo"
    if not facts.is_root and not asked.for_user:
        yield (
            f"the role {places.role} is installed for the whole machine, which takes root: use "
            "sudo, or add --user to install it for yourself alone"
        )
    if facts.free_mib is not None and facts.free_mib < NEEDED_MIB:
        yield (
            f"{places.state_dir} would have {facts.free_mib} MiB of disk; at least {NEEDED_MIB} "
            "are needed"
        )
    if facts.settings_wrong is not None:
        yield f"the settings are not right yet: {facts.settings_wrong}"


def _controller(asked: Asked, places: Places, facts: Facts) -> Iterator[str]:
    if facts.unreadable is not None:
        yield (
            f"the user {places.service_user} can't run what lies in {places.clone}, or not its "
            f"Python, {facts.python} ({facts.unreadable}): both have to be where everybody may "
            "read, as a clone in /opt/mini-eaas and the system's own Python"
        )
    if facts.port_held_by is not None:
        port = facts.settings.get("port") or asked.port or 7470
        how = f"`port:` in {places.settings}" if facts.has_settings else "--port N"
        yield f"{facts.port_held_by} has port {port}: stop it, or choose another port by {how}"


def _agent(asked: Asked, places: Places, facts: Facts) -> Iterator[str]:
    server = asked.server
    written = facts.settings.get("server")
    written = url_of(written, secret=True) if isinstance(written, str) else None
    if server is None and facts.passport is None:
        yield "an agent needs to know its controller: --server HOST and --token TOKEN"
        return
    if server is not None and written not in (None, server):
        yield (
            f"{places.settings} has `server: {written}`, and --server says {server}: change the "
            "file, or leave --server out"
        )
    if asked.token is not None and asked.token.kind != "join":
        yield (
            "this token is a person's; a machine's is made by: mini-eaas token create --role agent"
        )
    if not facts.passport_fits and asked.token is None:
        yield (
            "to join takes a token; on the controller's machine: mini-eaas token create --role "
            "agent, and here --token TOKEN, --token-file FILE or MINI_EAAS_TOKEN"
        )
    if facts.way_blocked is not None and not facts.passport_fits:
        yield _blocked(server or "", facts.way_blocked)


def _blocked(server: str, why: str) -> str:
    host = server.partition("://")[2]
    if is_loopback(host) and why.startswith("port"):
        return (
            f"{host} is this machine itself, and no controller answers here: give the address of "
            "the controller's machine"
        )
    return f"this machine can't join {host}: {why}"


def _lent(address: str, places: Places) -> str:
    return (
        f"this machine's address {address} comes from DHCP. When it changes, agents and people "
        "lose the controller until they are told the new one. Have your router always give the "
        f"same address, or a name that follows it: `names: [NAME]` in {places.settings}, and "
        "give people and agents that name"
    )


_BY_ROLE = {"controller": _controller, "agent": _agent}
