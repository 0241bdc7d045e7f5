from eaas_agent.check_step import Step


def test_a_step_is_one_line_with_what_to_do_where_it_failed() -> None:
    well = Step(name="port", text="10.0.0.4:7470 takes connections")
    failed = Step(name="port", text="10.0.0.4:7470 refuses", advice="Try: ss -ltn")

    assert (well.is_ok, well.line()) == (True, "port     ok      10.0.0.4:7470 takes connections")
    assert failed.line() == "port     failed  10.0.0.4:7470 refuses. Try: ss -ltn"
