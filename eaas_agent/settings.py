"""What can be set of an agent, in agent.yaml, by variables and on its command line."""

from typing import Final, Literal

from eaas.field_checks import Choice, Duration, Memory, Number, Text, Truth, Whole
from eaas.job_lists import Labels
from eaas.settings.host_path import HostPath
from eaas.settings.keys import IMAGE_MIRROR, LOG_KEYS, NAME, Key
from eaas_agent.named_folders import NamedFolders

PROGRAM: Final = "agent"

RuntimeKind = Literal["docker", "process", "auto"]
RUNTIMES: Final[tuple[RuntimeKind, ...]] = ("docker", "process", "auto")
MAX_LOG_CAP_MIB: Final = 1 << 30
MAX_RESERVE_MIB: Final = 1 << 20
MAX_SHARERS: Final = 1000
TEN_YEARS_S: Final = 3650 * 86400.0


KEYS: Final = (
    Key(
        name="name",
        check=NAME,
        about="what the node is called (default: this host's name)",
        metavar="NAME",
        variables=("MINI_EAAS_NODE",),
    ),
    Key(
        name="state_dir",
        check=HostPath(),
        about="where it keeps what it knows, and the workspaces",
        metavar="DIR",
    ),
    Key(
        name="runtime",
        check=Choice(choices=RUNTIMES),
        about="how jobs run",
        metavar="KIND",
        default="auto",
    ),
    Key(
        name="simulate",
        check=Text(pattern=".+", rule="cards such as 2x24GiB"),
        about="pretend that there are such cards, as in 2x24GiB",
        metavar="CARDS",
        variables=("MINI_EAAS_SIMULATE",),
    ),
    Key(
        name="server",
        check=Text(pattern=".+", rule="HOST:PORT or the path of a socket"),
        about="the controller: HOST:PORT or a socket (default: this host's socket)",
        metavar="SERVER",
        variables=("MINI_EAAS_SERVER",),
    ),
    Key(
        name="token_file",
        check=HostPath(),
        about="the file with the token for a URL",
        metavar="FILE",
    ),
    Key(
        name="token",
        check=Text(pattern="[!-~]+", rule="text without blanks", max_chars=4096),
        about="the token that lets it join (better: --token-file, or the variable)",
        metavar="TOKEN",
        variables=("MINI_EAAS_TOKEN",),
        secret=True,
    ),
    Key(
        name="cpus",
        check=Number(minimum=0.01, maximum=4096),
        about="how many CPUs to offer (default: all there are)",
        metavar="N",
    ),
    Key(
        name="image_mirror",
        check=IMAGE_MIRROR,
        about="a registry to take Docker Hub's images from, HOST[:PORT][/PATH]",
        metavar="HOST",
    ),
    Key(
        name="address",
        check=Text(pattern=r"[A-Za-z0-9._:-]+", rule="an address or a host's name", max_chars=253),
        about="how other nodes reach this one (default: as the controller sees it)",
        metavar="HOST",
    ),
    Key(name="host_network", check=Truth(), default=True),
    Key(name="labels", check=Labels(), default={}, structured=True),
    Key(name="mounts", check=NamedFolders(), default={}, structured=True),
    Key(name="log_cap", check=Memory(maximum_mib=MAX_LOG_CAP_MIB)),
    Key(name="share_reserve", check=Memory(maximum_mib=MAX_RESERVE_MIB), default="512MiB"),
    Key(name="max_sharers", check=Whole(minimum=0, maximum=MAX_SHARERS), default=8),
    Key(name="keep", check=Duration(minimum_s=0.0, maximum_s=TEN_YEARS_S)),
    *LOG_KEYS,
)
