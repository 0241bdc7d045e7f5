from eaas.preempt_reasons import MakingRoom, Preempted
from eaas.sentences import sentence


def test_who_is_interrupted_hears_by_whom() -> None:
    reason = Preempted(job=57, called="50[7]", queue="p/urgent", user="bob")

    assert sentence(reason) == "preempted by job 50[7] of queue p/urgent (bob)"


def test_who_was_interrupted_before_anybody_here_knew_hears_what_is_known() -> None:
    reason = Preempted(job=None, called="", queue="p/night", user="")

    assert sentence(reason) == "preempted by a job of a more urgent queue"


def test_who_waits_for_others_to_be_stopped_hears_for_whom_and_how_long() -> None:
    one = MakingRoom(node="n1", jobs=(41,), called=("41",), users=("alice",), in_s=34.6)
    two = MakingRoom(node="n1", jobs=(4, 5), called=("4", "4[1]"), users=("al", "bo"), in_s=0.0)

    assert sentence(one) == "starts on n1 when job 41 (alice) has been interrupted, about 35s"
    assert (
        sentence(two) == "starts on n1 when jobs 4 (al), 4[1] (bo) have been interrupted, about 1s"
    )


def test_who_waits_only_for_cards_to_be_read_hears_that() -> None:
    reason = MakingRoom(node="n1", jobs=(), called=(), users=(), in_s=3.0)

    assert sentence(reason) == "starts on n1 as soon as what was freed for it there is read clean"
