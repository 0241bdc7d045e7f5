import msgspec

from eaas.settings.layers import settle
from eaas.settings.view import HIDDEN, as_json, settings_view
from tests.eaas.settings.keys import KEYS


def test_settings_are_shown_as_people_type_them_and_secrets_are_not() -> None:
    environ = {"LAMP_SECRET": "hush", "MINI_EAAS_LAMP_PORT": "8"}
    settings = settle("lamp", KEYS, file=None, environ=environ, typed={"place": "/srv"})

    text = as_json("lamp", KEYS, settings, looked_for=[], computed={"port": 1})

    assert "hush" not in text
    assert [tuple(row.values()) for row in msgspec.json.decode(text)["settings"]] == [
        ("port", 8, "$MINI_EAAS_LAMP_PORT"),
        ("place", "/srv", "--place"),
        ("level", "low", "default"),
        ("labels", {}, "default"),
        ("secret", HIDDEN, "$LAMP_SECRET"),
    ]


def test_what_was_left_out_is_shown_as_it_is_here_and_called_computed() -> None:
    settings = settle("lamp", KEYS, file=None, environ={}, typed={})

    view = settings_view("lamp", KEYS, settings, looked_for=[], computed={"place": "/here"})

    assert [(row.value, row.source) for row in view.settings if row.key in ("place", "secret")] == [
        ("/here", "computed"),
        (None, "default"),
    ]
