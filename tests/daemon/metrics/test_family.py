from eaas_daemon.metrics.family import counter, gauge, info, size_bytes


def test_names_get_their_prefix_and_their_unit() -> None:
    size = gauge("size", "Size", [], [((), 1)], unit="bytes")

    assert [size.name, size.unit] == ["mini_eaas_size_bytes", "bytes"]
    assert gauge("size", "Size", [], []).name == "mini_eaas_size"
    assert counter("seen", "Seen", [], []).name == "mini_eaas_seen"


def test_facts_are_labels_of_a_one() -> None:
    build = info("build", "Build", ["version"], [("1",), ("2",)])

    assert (build.name, build.rows) == ("mini_eaas_build", [(("1",), 1), (("2",), 1)])


def test_mebibytes_become_bytes_and_the_unknown_stays_unknown() -> None:
    assert (size_bytes(3), size_bytes(0), size_bytes(None)) == (3 * 1024 * 1024, 0, None)
