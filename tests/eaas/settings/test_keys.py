from pathlib import Path

import pytest

from eaas.settings.keys import LOG_KEYS
from tests.eaas.settings.keys import KEYS, refusal_of


def test_a_key_has_one_name_everywhere() -> None:
    port = KEYS[0]

    assert port.variable("lamp") == "MINI_EAAS_LAMP_PORT"
    assert port.option == "--port"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("log_level: loud", "must be debug or info or warning or error"),
        ("log_format: xml", "must be auto or text or json"),
    ],
)
def test_a_mistake_about_a_programs_own_log_is_named(tmp_path: Path, line: str, says: str) -> None:
    assert says in refusal_of(LOG_KEYS, tmp_path, line)
