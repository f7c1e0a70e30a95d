"""The planted facts, and the questions asked for each: seven kinds, of which one in two spellings."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from quality.lexicon import stems

__all__ = ["KINDS", "PLACES", "Fact", "Question", "ask", "read_facts"]

PLACES = ("user", "assistant", "arguments", "result", "bash")
KINDS = ("capital", "lower", "symptom", "backticks", "identifier", "parts", "italian", "follow-up")

_FOLDER = Path(__file__).parent / "facts"
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Fact:
    """What was once said or seen; ``other`` is the answer that a sibling branch holds in its stead."""

    place: str
    identifier: str
    text: str
    answer: str
    other: str
    topics: tuple[str, ...]
    question: str
    symptom: str
    by_identifier: str
    italian: str
    follow_up: str
    tool: str = ""
    target: str = ""

    def with_other_answer(self) -> str:
        """Return the text with the sibling's answer."""
        return self.text.replace(self.answer, self.other)


@dataclass(frozen=True, slots=True)
class Question:
    """One way to ask for a fact; ``words`` are its stems, ``identifier`` the literal it names, if any."""

    fact: Fact
    kind: str
    text: str
    words: frozenset[str]
    identifier: str | None

    def evidence(self, found: frozenset[str], text: str) -> int:
        """Count the distinct words of the question that a text with these stems holds, the literal as one."""
        literal = self.identifier is not None and self.identifier in text
        return len(self.words & found) + literal


@cache
def read_facts(count: int = 100) -> tuple[Fact, ...]:
    """Return facts of all places in turn: 20 of each, or the first ``count``."""
    by_place = [[_fact(place, row) for row in _rows(place)] for place in PLACES]
    turns = [fact for turn in zip(*by_place, strict=True) for fact in turn]
    return tuple(turns[:count])


def ask(fact: Fact) -> tuple[Question, ...]:
    """Return a fact's questions, one of each kind."""
    named, plain = f"`{fact.identifier}`", fact.identifier
    return (
        _question(fact, "capital", fact.question),
        _question(fact, "lower", fact.question[0].lower() + fact.question[1:]),
        _question(fact, "symptom", fact.symptom),
        _question(fact, "backticks", fact.by_identifier, named),
        _question(fact, "identifier", fact.by_identifier, plain),
        _question(fact, "parts", fact.by_identifier.replace("{id}", _in_words(fact.identifier))),
        _question(fact, "italian", fact.italian),
        _question(fact, "follow-up", fact.follow_up),
    )


def _question(fact: Fact, kind: str, text: str, spelled: str = "") -> Question:
    words = stems(text.replace("{id}", " "))
    return Question(
        fact, kind, text.replace("{id}", spelled), words, fact.identifier if "{id}" in text else None
    )


def _in_words(identifier: str) -> str:
    """Say a name in plain words, a path by its file's name."""
    name = identifier.rpartition("/")[2]
    return name if name != identifier else " ".join(_PART.findall(identifier)).lower()


def _rows(place: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((_FOLDER / f"{place}.toml").read_text(encoding="utf-8"))[
        "fact"
    ]
    return rows


def _fact(place: str, row: dict[str, Any]) -> Fact:
    return msgspec.convert({"place": place, **row}, Fact)
