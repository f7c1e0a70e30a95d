"""What a check found: one place, what is wrong with it, and what mends it."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: `place` names a file, a table or a session, `repair` what to do about it."""

    place: str
    problem: str
    repair: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem} (to mend it: {self.repair})"

    def to_dict(self) -> dict[str, str]:
        """Return the finding as the JSON of a report."""
        return asdict(self)
