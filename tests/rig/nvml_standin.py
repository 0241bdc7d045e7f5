"""A machine with pretended NVIDIA cards: a driver's library built from C, and its state file."""

import os
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("nvml_standin.c")


def why_no_standin() -> str | None:
    """Return why the library can't be built here, or None if it can."""
    if shutil.which("gcc") is None:
        return "there is no gcc to build the stand-in for NVIDIA's driver"
    return None


def build_library(folder: Path) -> Path:
    """Build the library into the folder and return its path."""
    library = folder / "libnvidia-ml.so.1"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", f"-Wl,-soname,{library.name}"]
    subprocess.run([*command, "-o", library, SOURCE], check=True)
    return library


class StandIn:
    """One pretended machine: where its driver is installed, and what that answers from now on."""

    def __init__(self, folder: Path, library: Path) -> None:
        self._library = library
        self._state = folder / "state"
        self._installed = folder / "lib"
        self._installed.mkdir()
        self.says()

    @property
    def env(self) -> dict[str, str]:
        """The environment of a process that is to meet this driver."""
        return {
            **os.environ,
            "LD_LIBRARY_PATH": str(self._installed),
            "NVML_STANDIN": str(self._state),
        }

    def install(self) -> None:
        """Put the driver's library where the next process finds it."""
        (self._installed / self._library.name).symlink_to(self._library)

    def says(self, *lines: str) -> None:
        """Make the driver answer by these lines from now on; nvml_standin.c has the keys."""
        fresh = self._state.with_suffix(".new")
        fresh.write_text("".join(f"{line}\n" for line in lines))
        fresh.replace(self._state)


def card(index: int, **answers: object) -> tuple[str, ...]:
    """Return the lines of one idle 24 GiB card; ``answers`` replace or add to its fields."""
    fields: dict[str, object] = {
        "uuid": uuid_of(index),
        "name": "NVIDIA GeForce RTX 3090",
        "minor": index,
        "total_mib": 24576,
        "used_mib": 5,
        "utilization": 0,
        "temperature": 35,
        "power_mw": 21500,
    } | answers
    return tuple(f"card{index}.{field}={value}" for field, value in fields.items())


def uuid_of(index: int) -> str:
    """Return the UUID that ``card`` gives to the card at an index."""
    return f"GPU-{index:08x}-0000-4000-8000-000000000000"
