"""As whom a plain process runs: never with more rights than the person who submitted it.

Nothing isolates a process, so whoever may choose its user may do what that user may. A job of the
agent's own user or of root runs as the agent, or as ``run_as`` says. Anybody else's runs as
themselves, which only an agent that is root can bring about.
"""

import msgspec

from eaas_agent.accounts import account_of, primary_group
from eaas_agent.runtimes.port import StartFailed


class Identity(msgspec.Struct, frozen=True):
    """A user to become."""

    uid: int
    gid: int


def identity_of(
    run_as: str | None, *, person: str | None = None, my_uid: int, my_gid: int
) -> Identity | None:
    """Return the user to become, None for the one we are; refuse what is not the person's to ask.

    ``person`` is who submitted the job, by the name (or bare number) their system has for them;
    None when there is nobody to tell apart.
    """
    asked = _asked(run_as)
    own = _account(person)
    if own is not None and own.uid not in (0, my_uid):
        return _as_themselves(asked, own, person=person, my_uid=my_uid)
    if asked is None:
        return None
    if my_uid == 0:
        return asked
    if asked == Identity(my_uid, my_gid):
        return None
    raise _refused(f"run_as {run_as} needs an agent that runs as root; this one is user {my_uid}")


def _as_themselves(
    asked: Identity | None, own: Identity, *, person: str | None, my_uid: int
) -> Identity:
    if asked not in (None, own):
        raise _refused(
            f"run_as: a plain process of {person} runs as {own.uid}:{own.gid} and as nobody else; "
            "leave run_as out, or name an image"
        )
    if my_uid != 0:
        raise _refused(
            f"this node's agent is user {my_uid} and not root, so a plain process of {person} "
            f"would have that user's rights; name an image, or let root run the agent"
        )
    return own


def _account(person: str | None) -> Identity | None:
    if person is None:
        return None
    found = account_of(person)
    if found is None:
        raise _refused(
            f"this node has no user {person}, and a plain process runs as who submitted it"
        )
    return Identity(found.uid, found.gid)


def _asked(run_as: str | None) -> Identity | None:
    if run_as is None:
        return None
    uid_text, colon, gid_text = run_as.partition(":")
    if not uid_text.isdecimal() or (colon and not gid_text.isdecimal()):
        raise _refused(f"run_as {run_as!r} is not a number or two, like 1000:1000")
    uid = int(uid_text)
    return Identity(uid, int(gid_text) if colon else primary_group(uid))


def _refused(sentence: str) -> StartFailed:
    return StartFailed(sentence, code="bad_user", fault="user")
