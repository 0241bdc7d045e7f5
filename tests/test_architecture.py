from docs import pictures


def test_the_pictures_in_the_architecture_are_those_of_the_code() -> None:
    text = pictures.ARCHITECTURE.read_text()

    assert pictures.redrawn(text) == text, "run `make format` to draw them anew"


def test_every_move_in_the_table_is_in_the_state_picture() -> None:
    drawn = pictures.state_picture()

    assert "[*] --> Pending" in drawn
    assert "Running --> Failed: exited badly" in drawn
    assert "Failed --> [*]" in drawn


def test_the_import_picture_shows_the_programs_meeting_in_what_they_share() -> None:
    drawn = pictures.import_picture()

    assert "eaas_agent_runtimes --> eaas\n" in drawn
    assert " eaas --> eaas_agent" not in drawn
