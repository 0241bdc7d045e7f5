from docs import keys
from eaas_tui.commands import VERBS
from eaas_tui.keys import KEYS


def test_the_keys_in_the_readme_are_those_of_the_console() -> None:
    text = keys.README.read_text()

    assert keys.redrawn(text) == text, "run `make format` to write them anew"


def test_every_key_and_every_command_is_written_down() -> None:
    table = keys.keys_table()

    assert all(key.words.replace("|", "\\|") in table for key in KEYS)
    assert all(f":{verb.name}" in table for verb in VERBS)
