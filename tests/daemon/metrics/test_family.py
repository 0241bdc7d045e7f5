from eaas_daemon.metrics.family import counter, gauge, info, size_bytes


def test_a_row_that_nobody_knows_the_number_of_has_no_sample() -> None:
    rows = [(["a"], 1), (["b"], None), (["c"], 0)]

    for family in (gauge("some", "Some", ["x"], rows), counter("some", "Some", ["x"], rows)):
        assert [(one.labels, one.value) for one in family.samples] == [
            ({"x": "a"}, 1),
            ({"x": "c"}, 0),
        ]


def test_names_get_their_prefix_and_the_ending_of_their_kind_and_unit() -> None:
    size = gauge("size", "Size", [], [((), 1)], unit="bytes")
    seen = counter("seen", "Seen", [], [((), 1)])
    build = info("build", "Build", ["version"], [["1"]])

    assert [size.samples[0].name, size.unit] == ["mini_eaas_size_bytes", "bytes"]
    assert seen.samples[0].name == "mini_eaas_seen_total"
    assert [build.samples[0].name, build.samples[0].labels] == [
        "mini_eaas_build_info",
        {"version": "1"},
    ]


def test_mebibytes_become_bytes_and_the_unknown_stays_unknown() -> None:
    assert (size_bytes(3), size_bytes(0), size_bytes(None)) == (3 * 1024 * 1024, 0, None)
