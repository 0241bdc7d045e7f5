from eaas_agent.changes import Changes


def test_nothing_to_write_is_falsy_and_anything_is_not() -> None:
    nothing, pruning, gone = Changes(), Changes(), Changes()
    pruning.prune_facts_to = 0
    gone.gone_workspaces.append("job")

    assert [bool(changes) for changes in (nothing, pruning, gone)] == [False, True, True]
