import pytest

from eaas_agent.runtimes.docker_faults import pull_failed, start_failed


@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        (
            "manifest for x:1 not found: manifest unknown: manifest unknown",
            404,
            ("image_missing", "user"),
        ),
        (
            "pull access denied for x, repository does not exist or may require 'docker login'",
            404,
            ("image_missing", "user"),
        ),
        ("Get https://r/v2/: no basic auth credentials", 500, ("image_denied", "user")),
        ("unauthorized: authentication required", None, ("image_denied", "user")),
        ("invalid reference format", 400, ("image_missing", "user")),
        ("something else entirely", 404, ("image_missing", "user")),
        ("write /var/lib/docker/x: no space left on device", None, ("disk_full", "node")),
        ("no matching manifest for linux/arm64/v8", None, ("image_wrong_platform", "node")),
        ("toomanyrequests: You have reached your pull rate limit", 500, None),
        ("dial tcp 127.0.0.1:1: connect: connection refused", 500, None),
        ("received unexpected HTTP status: 503 Service Unavailable", 500, None),
    ],
)
def test_a_failed_pull_is_final_or_worth_another_try(
    words: str, status: int | None, verdict: tuple[str, str] | None
) -> None:
    failure = pull_failed("x:1", words, status=status)

    assert (failure and (failure.reason_code, failure.fault)) == verdict
    assert failure is None or words in failure.sentence


@pytest.mark.parametrize(
    ("words", "exit_code", "verdict"),
    [
        (
            'OCI runtime create failed: exec: "foo": executable file not found in $PATH: unknown',
            127,
            ("bad_command", "user", 127),
        ),
        ('exec: "/etc": permission denied: unknown', 126, ("bad_command", "user", 126)),
        ("something went wrong", 127, ("bad_command", "user", 127)),
        (
            "unable to find user nobody2: no matching entries in passwd file",
            126,
            ("run_as_bad", "user", None),
        ),
        ("mkdir /etc/passwd/x: not a directory", 127, ("workdir_bad", "user", None)),
        (
            "nvidia-container-cli: device error: 9: unknown device",
            128,
            ("cards_not_given", "node", None),
        ),
        (
            "CDI device injection failed: unresolvable CDI devices",
            128,
            ("cards_not_given", "node", None),
        ),
        ("unknown or invalid runtime name: nvidia", None, ("cards_not_given", "node", None)),
        (
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8",
            128,
            ("image_needs_newer_driver", "user", None),
        ),
        ("Minimum memory limit allowed is 6MB", None, ("memory_too_small", "user", None)),
        ("OCI runtime create failed: cgroup trouble", 128, ("engine_error", "node", None)),
    ],
)
def test_a_failed_start_has_a_code_and_somebody_to_mend_it(
    words: str, exit_code: int | None, verdict: tuple[str, str, int | None]
) -> None:
    failure = start_failed("eaas-1", words, exit_code=exit_code)

    assert (failure.reason_code, failure.fault, failure.exit_code) == verdict
    assert words in failure.sentence
