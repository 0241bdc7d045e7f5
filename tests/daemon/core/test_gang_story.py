"""Jobs on several nodes, in any order of events: whole or not at all, and never for ever."""

from hypothesis import HealthCheck, settings

from tests.rig.gang_story import GangStory

TestGangStory = GangStory.TestCase
TestGangStory.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
