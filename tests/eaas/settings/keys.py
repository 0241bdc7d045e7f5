"""Keys of an imagined program ``lamp``, for tests of how settings are found."""

from eaas.field_checks import Choice, Text, Whole
from eaas.job_lists import Labels
from eaas.settings.host_path import HostPath
from eaas.settings.keys import Key

KEYS = (
    Key(name="port", check=Whole(minimum=0, maximum=65535), metavar="N", default=70, about="its"),
    Key(name="place", check=HostPath(), metavar="DIR"),
    Key(name="level", check=Choice(choices=("low", "high")), metavar="LEVEL", default="low"),
    Key(name="labels", check=Labels(), default={}, structured=True),
    Key(
        name="secret",
        check=Text(pattern="[a-z]+", rule="lower case"),
        variables=("LAMP_SECRET",),
        secret=True,
    ),
)
