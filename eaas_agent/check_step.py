"""One step of the way to a controller, and how it is told."""

import msgspec

from eaas.exit_codes import REFUSED


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, whether it is well, and where it is not, what to do."""

    name: str
    text: str
    advice: str | None = None
    """What to do; None where all is well."""
    exit_code: int = REFUSED
    """How a check ends that fails here."""

    @property
    def is_ok(self) -> bool:
        """Tell whether this step stands in nobody's way."""
        return self.advice is None

    def line(self) -> str:
        """Return the step as one line."""
        verdict = "ok" if self.is_ok else "failed"
        told = f"{self.name:<8} {verdict:<7} {self.text}"
        return told if self.advice is None else f"{told}. {self.advice}"

    def view(self) -> dict[str, object]:
        """Return the step as programs read it."""
        return {"name": self.name, "ok": self.is_ok, "text": self.text, "advice": self.advice}
