"""What says nothing new beside a better hit: nearly the same text, the other half of a tool call."""

from __future__ import annotations

import pytest

from uncompact.query.candidates import Candidate, Match
from uncompact.query.descriptor import Term
from uncompact.query.diversity import Chosen, fingerprint
from uncompact.query.terms import SearchTerm

LINES = [f"line {number} of a file that was read" for number in range(20)]
SENTENCE = " ".join(f"word{number}" for number in range(60))


def candidate(*terms: int, group: int = 7, role: str = "assistant") -> Candidate:
    matches = tuple(
        Match(SearchTerm(number, Term(f"t{number}", "keyword"), "", ()), literal=False) for number in terms
    )
    return Candidate(matches, 1, 1, "e", role, 0, 1, "h", 0, 0, "message", group, 1, 1)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        pytest.param("\n".join(LINES), "\n".join(LINES), True, id="equal"),
        pytest.param("\n".join(LINES), "\n".join(["changed", *LINES[1:]]), True, id="a line changed"),
        pytest.param("\n".join(LINES), "\n".join(reversed(LINES)), True, id="in another order"),
        pytest.param("\n".join(LINES), "\n".join(LINES[:10]), False, id="half of it"),
        pytest.param(SENTENCE, SENTENCE.replace("word5 ", "other "), True, id="a word changed"),
        pytest.param(SENTENCE, SENTENCE[:200], False, id="the beginning"),
        pytest.param("pool size is 37", "pool size is 37", False, id="too short to be alike"),
    ],
)
def test_texts_are_compared_by_lines_or_runs_of_words(one: str, other: str, *, alike: bool) -> None:
    chosen = Chosen()
    chosen.add(candidate(0), fingerprint(one))

    assert chosen.is_near_duplicate(fingerprint(other)) is alike


@pytest.mark.parametrize(
    ("chosen_role", "role", "terms", "group", "expected"),
    [
        pytest.param("assistant", "toolResult", (0,), 7, True, id="result of a call that matches more"),
        pytest.param("toolResult", "assistant", (0, 1), 7, True, id="call of a result that matches as much"),
        pytest.param("assistant", "toolResult", (0, 2), 7, False, id="it matches something else"),
        pytest.param("assistant", "toolResult", (0,), 8, False, id="result of another call"),
        pytest.param("toolResult", "toolResult", (0,), 7, False, id="two results of one message"),
    ],
)
def test_a_call_and_its_result_are_one_item(
    chosen_role: str, role: str, terms: tuple[int, ...], group: int, *, expected: bool
) -> None:
    chosen = Chosen()
    chosen.add(candidate(0, 1, role=chosen_role), frozenset())

    assert chosen.has_other_half(candidate(*terms, group=group, role=role)) is expected
