"""One step of the way to a controller, and how it is told."""

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, whether it is well, and where it is not, what to do."""

    name: str
    text: str
    advice: str | None = None
    """What to do; None where all is well."""

    @property
    def is_ok(self) -> bool:
        """Tell whether this step stands in nobody's way."""
        return self.advice is None

    def line(self) -> str:
        """Return the step as one line."""
        verdict = "ok" if self.is_ok else "failed"
        told = f"{self.name:<8} {verdict:<7} {self.text}"
        return told if self.advice is None else f"{told}. {self.advice}"
