import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eaas.field_checks import Mistake, Wrong
from eaas.job_mounts import MountAsk, Mounts, may_have, mount_ask

PATHS = st.lists(st.sampled_from(["data", "a", "workspace", "etc", "proc", "x y"]), max_size=3).map(
    lambda parts: "/" + "/".join(parts)
)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (["a:/data:ro", "b:/x"], ("a:/data:ro", "b:/x")),
        ("a:/workspace/data", ("a:/workspace/data",)),
        (["a:/usr/local/data", "a:/data:ro"], ("a:/usr/local/data", "a:/data:ro")),
        (["a:/data", "a:/data"], ("a:/data",)),
        (["a:/data", "b:/data-2"], ("a:/data", "b:/data-2")),
    ],
)
def test_mounts_are_read_and_read_back(value: object, read: object) -> None:
    assert Mounts().read(value) == read
    assert Mounts().read(Mounts().typed(Mounts().read(value))) == read


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        (
            ["/data:/data"],
            Mistake(
                "only mounts that the node's owner has named exist, never folders of the host: "
                "write NAME:/data, not '/data:/data'",
                path=(0,),
            ),
        ),
        (
            ["a"],
            Mistake("must be NAME:/path, NAME:/path:ro or NAME:/path:rw, not 'a'", path=(0,)),
        ),
        (
            ["A:/data"],
            Mistake("'A' can't be a mount's name: lower case, digits, . _ - inside", path=(0,)),
        ),
        (["a:/b:z"], Mistake("must end with :ro or :rw, not ':z'", path=(0,))),
        (
            ["a:/workspace"],
            Mistake("/workspace is the job's own folder: mount at another path", path=(0,)),
        ),
        (["a:/proc/1"], Mistake("/proc/1 belongs to the system: mount at another path", path=(0,))),
        (["a:/"], Mistake("/ belongs to the system: mount at another path", path=(0,))),
        (["a:/etc:ro"], Mistake("/etc belongs to the system: mount at another path", path=(0,))),
        (["a:/x", "b:/x:ro"], Mistake("must not put two mounts at /x")),
        (["a:/x/y", "b:/x"], Mistake("must not put a mount into another: /x/y lies in /x")),
        ([f"a:/{i}" for i in range(33)], Mistake("must be 32 at most, not 33")),
    ],
)
def test_a_wrong_mount_is_refused(value: object, mistake: Mistake) -> None:
    with pytest.raises(Wrong) as refused:
        Mounts().read(value)

    assert refused.value.mistakes == (mistake,)


@given(st.lists(PATHS, min_size=1, max_size=4))
def test_no_mount_ever_hides_the_workspace_or_lies_in_another(paths: list[str]) -> None:
    try:
        read = Mounts().read([f"m{index}:{path}" for index, path in enumerate(paths)])
    except Wrong:
        return

    targets = [mount_ask(text).target for text in read]
    assert not any(posixpath.commonpath([target, "/workspace"]) == target for target in targets)
    assert not any(target.startswith(("/proc", "/sys", "/dev")) for target in targets)
    for target in targets:
        assert sum(posixpath.commonpath([target, other]) == other for other in targets) == 1


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("a:/x", MountAsk("a", "/x", writable=True)),
        ("a:/x:rw", MountAsk("a", "/x", writable=True)),
        ("a:/x:ro", MountAsk("a", "/x", writable=False)),
    ],
)
def test_a_mount_is_for_writing_unless_it_says_otherwise(text: str, asked: MountAsk) -> None:
    assert mount_ask(text) == asked


@pytest.mark.parametrize(
    ("users", "queues", "may"),
    [
        ((), (), True),
        (("ada",), (), True),
        (("bob",), (), False),
        ((), ("train",), True),
        ((), ("gpu/train",), True),
        ((), ("cpu/train",), False),
        (("ada",), ("night",), False),
        (("bob",), ("train",), False),
        (("bob", "ada"), ("night", "gpu/train"), True),
    ],
)
def test_users_and_queues_must_both_be_the_jobs_own(
    users: tuple[str, ...], queues: tuple[str, ...], may: bool
) -> None:
    assert may_have(users, queues, user="ada", ref="gpu/train") is may


def test_what_is_for_some_is_for_nobody_unknown() -> None:
    assert may_have((), (), user=None, ref=None)
    assert not may_have(("ada",), (), user=None, ref=None)
    assert not may_have((), ("train",), user="ada", ref=None)
