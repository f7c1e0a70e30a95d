"""Which hits say nothing that a better one does not say: a text that differs in a few lines, a call beside its result."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from .candidates import Candidate

__all__ = ["Chosen", "Fingerprint", "fingerprint"]

_FEWEST_CHARS = 120
_FEWEST_LINES = 6
_SHINGLE_WORDS = 4
# Two texts are nearly the same from this share of their pieces on.
_ALIKE = 0.7

Fingerprint = frozenset[Hashable]


def fingerprint(text: str) -> Fingerprint:
    """Return the pieces by which texts are compared: lines, or of a text of few lines runs of four words.

    A short text has none: it is not like any other.
    """
    if len(text) < _FEWEST_CHARS:
        return frozenset()
    lines: Fingerprint = frozenset(line.strip() for line in text.splitlines() if line.strip())
    if len(lines) >= _FEWEST_LINES:
        return lines
    words = text.split()
    return frozenset(zip(*(words[at:] for at in range(_SHINGLE_WORDS)), strict=False))


@dataclass(slots=True)
class Chosen:
    """The hits chosen so far, as far as later ones are compared with them."""

    _fingerprints: list[Fingerprint] = field(default_factory=list[Fingerprint])
    _by_call: dict[int, list[frozenset[int]]] = field(default_factory=dict[int, list[frozenset[int]]])

    def is_near_duplicate(self, pieces: Fingerprint) -> bool:
        """Tell whether a text is nearly one that was chosen."""
        return bool(pieces) and any(_overlap(pieces, other) >= _ALIKE for other in self._fingerprints)

    def has_other_half(self, candidate: Candidate) -> bool:
        """Tell whether the call of a result, or a result of a call, was chosen that matches all that this one does."""
        terms = _terms(candidate)
        return any(terms <= chosen for chosen in self._by_call.get(_other_half(candidate), ()))

    def add(self, candidate: Candidate, pieces: Fingerprint) -> None:
        """Note a hit that was chosen."""
        if pieces:
            self._fingerprints.append(pieces)
        self._by_call.setdefault(_own_half(candidate), []).append(_terms(candidate))


def _terms(candidate: Candidate) -> frozenset[int]:
    return frozenset(match.term.number for match in candidate.matches)


def _own_half(candidate: Candidate) -> int:
    """Number a call by its place, and the results of it by the place's complement."""
    return ~candidate.turn_group if _is_result(candidate) else candidate.turn_group


def _other_half(candidate: Candidate) -> int:
    return ~_own_half(candidate)


def _is_result(candidate: Candidate) -> bool:
    return candidate.role == "toolResult"


def _overlap(one: Fingerprint, other: Fingerprint) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
