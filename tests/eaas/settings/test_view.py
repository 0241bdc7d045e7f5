import msgspec

from eaas.settings.layers import settle
from eaas.settings.view import HIDDEN, as_json
from tests.eaas.settings.keys import KEYS


def test_settings_are_shown_as_people_type_them_and_secrets_are_not() -> None:
    environ = {"LAMP_SECRET": "hush", "MINI_EAAS_LAMP_PORT": "8"}
    settings = settle("lamp", KEYS, file=None, environ=environ, typed={"place": "/srv"})

    text = as_json("lamp", KEYS, settings, looked_for=[])

    assert "hush" not in text
    assert [tuple(row.values()) for row in msgspec.json.decode(text)["settings"]] == [
        ("port", 8, "$MINI_EAAS_LAMP_PORT"),
        ("place", "/srv", "--place"),
        ("level", "low", "default"),
        ("labels", {}, "default"),
        ("secret", HIDDEN, "$LAMP_SECRET"),
    ]
