from tests.eaas.settings.keys import KEYS


def test_a_key_has_one_name_everywhere() -> None:
    port = KEYS[0]

    assert port.variable("lamp") == "MINI_EAAS_LAMP_PORT"
    assert port.option == "--port"
