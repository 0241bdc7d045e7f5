from msgspec.structs import replace

from eaas.cli.draw_tokens import token_made, token_table
from eaas.cli.output import Facts, Lines, plain
from eaas.token_views import TokenView
from tests.eaas.client.test_tokens import MADE

TOKEN = "eaas1." + "a" * 105
JOINS = replace(MADE, id="jabcdefgh", role="agent", token=TOKEN, user=None, uses_left=20)
PERSONS = replace(MADE, token=TOKEN)


def drawn(token: TokenView, address: str | None) -> list[str]:
    """Return the lines that people see."""
    lines = []
    for block in token_made(token, address):
        lines += plain(block) if isinstance(block, Facts) else []
        lines += block.lines if isinstance(block, Lines) else []
    return lines


def test_a_list_says_for_whom_each_token_is_and_how_long_it_lasts() -> None:
    nodes = replace(MADE, id="nabcdefgh", role="node", user=None, node="n1", state="revoked")
    header, joins, persons, node = plain(token_table([JOINS, PERSONS, nodes]))

    assert header.split("  ")[0] == "ID"
    assert joins.split()[:7] == ["jabcdefgh", "agent", "-", "live", "never", "20", "-"]
    assert persons.split()[:7] == ["uabcdefgh", "member", "ann", "live", "never", "-", "-"]
    assert node.split()[:4] == ["nabcdefgh", "node", "n1", "revoked"]
    assert TOKEN not in joins + persons


def test_no_token_says_how_to_make_one() -> None:
    assert "mini-eaas token create" in str(token_table([]).when_empty)


def test_a_new_token_stands_whole_on_a_line_of_its_own() -> None:
    lines = drawn(PERSONS, "https://big:7470")

    assert lines[4:6] == [TOKEN, ""]
    assert "The token is not shown again." in lines
    assert lines[0] == "id:       uabcdefgh"
    assert lines[3] == "expires:  never"


def test_for_a_machine_the_line_to_type_is_complete() -> None:
    lines = drawn(JOINS, "https://big:7470")

    assert lines[-2:] == [
        "On the machine that is to join:",
        f"  mini-eaas agent join --server https://big:7470 --token {TOKEN}",
    ]


def test_for_a_person_the_token_is_asked_for_and_not_part_of_the_line() -> None:
    assert drawn(PERSONS, "https://big:7470")[-2:] == [
        "On that person's machine:",
        "  mini-eaas login https://big:7470",
    ]


def test_where_there_is_no_tls_the_next_step_says_what_lets_it_work() -> None:
    assert drawn(PERSONS, "http://big:7470")[-2:] == [
        "  export MINI_EAAS_INSECURE=1",
        "  mini-eaas login http://big:7470",
    ]


def test_a_controller_that_only_this_machine_reaches_says_how_to_open_it() -> None:
    for address in (None, "http://127.0.0.1:7470", "http://[::1]:7470"):
        assert drawn(JOINS, address)[-2:] == [
            "The controller only talks to this machine; so that others reach it, set",
            "listen: 0.0.0.0 in controller.yaml and start it again.",
        ]
