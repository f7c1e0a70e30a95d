"""Score, tiers and order are the documented table: the SQL agrees with the table said plainly, on any candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.active_context import ActiveContext, Branch
from uncompact.pipelines.tree import Interval
from uncompact.query.candidates import Candidate, Found, Match
from uncompact.query.descriptor import Term, describe
from uncompact.query.postings import Postings
from uncompact.query.prepared import PreparedQueries
from uncompact.query.ranking import Asked, RankedHit, Ranking, rank_hits
from uncompact.query.scope import Scope, SessionRow
from uncompact.query.terms import SearchTerm

FILE, SYMBOL, ERROR, PHRASE, POOL, SIZE = range(6)
TERMS = tuple(
    SearchTerm(number, term, "", (), weight)
    for number, (term, weight) in enumerate(
        [
            (Term("src/pool.py", "identifier"), 2.0),
            (Term("maxPool", "identifier"), 1.5),
            (Term("E0277", "identifier"), 1.0),
            (Term("pool size", "phrase"), 1.0),
            (Term("pool", "keyword"), 0.5),
            (Term("size", "technology"), 0.25),
        ]
    )
)
DESCRIPTOR = replace(describe(""), files=("src/pool.py",), symbols=("maxPool",), errors=("E0277",))
REMOVED = (Interval(0, 0, 9), Interval(2, 3, 5))
SCOPE = Scope(
    SessionRow(1, "key", "id", "/s.jsonl", "/p", None, 0, ""), "leaf", ActiveContext(Branch(REMOVED), 0, None),
    REMOVED, (), (), (),
)  # fmt: skip
AUTHORITY = {"user": 8, "assistant": 5, "toolResult": 4, "bashExecution": 4}


@dataclass(frozen=True)
class Passage:
    """A candidate with its matches: the number of each term, and whether it stands as it is."""

    entry: int
    matches: tuple[tuple[int, bool], ...] = ((POOL, False),)
    role: str | None = "user"
    created_at: int | None = 1000
    tokens: int = 0
    text_hash: str | None = None
    label: tuple[int, int] = (0, 0)

    @property
    def entry_id(self) -> str:
        return f"e{self.entry}"

    def candidate(self, passage: int) -> Candidate:
        segment, position = self.label
        return Candidate(
            tuple(Match(TERMS[term], literal) for term, literal in self.matches), passage, self.entry, self.entry_id, self.role, self.created_at, self.tokens,
            self.text_hash or f"h{self.entry}", segment, position, "message", self.entry, passage, 1,
        )  # fmt: skip


@pytest.fixture(scope="module")
def queries() -> Iterator[PreparedQueries]:
    with duckdb.connect(config={"threads": 1}) as connection:
        yield PreparedQueries(connection)


def asked(*passages: Passage) -> Asked:
    candidates = tuple(one.candidate(number) for number, one in enumerate(passages))
    return Asked(SCOPE, DESCRIPTOR, Found(Postings(TERMS, 0, 0, {}, {}), candidates))


def rank(queries: PreparedQueries, *passages: Passage) -> Ranking:
    return rank_hits(queries, [asked(*passages)])[0]


def order(queries: PreparedQueries, *passages: Passage) -> list[str]:
    return [hit.candidate.entry_id for hit in rank(queries, *passages).hits]


def test_every_component_of_the_table_is_named_and_adds_up(queries: PreparedQueries) -> None:
    matches = ((FILE, True), (SYMBOL, True), (ERROR, True), (PHRASE, True), (POOL, False))
    early = Passage(2, ((POOL, False),), created_at=0)
    (hit, _) = rank(queries, Passage(1, matches, tokens=1500), early).hits

    assert hit.components == {
        "exact": 106.0,
        "phrase": 85.0,
        "fts": 70.0,
        "extra_matches": 80.0,
        "branch": 15.0,
        "files": 12.0,
        "symbols": 10.0,
        "errors": 12.0,
        "authority": 8.0,
        "recency": 8.0,
        "length": -1.5,
    }
    assert (hit.tier, hit.score) == ("literal-identifier", 404.5)


@pytest.mark.parametrize(
    ("component", "passage", "points"),
    [
        pytest.param("exact", Passage(1, ((SYMBOL, True),)), 100, id="one identifier"),
        pytest.param("exact", Passage(1, ((SYMBOL, False),)), 0, id="an identifier's words"),
        pytest.param("phrase", Passage(1, ((PHRASE, True),)), 85, id="one phrase"),
        pytest.param("fts", Passage(1, ((SIZE, False),)), 70, id="the best of one"),
        pytest.param("extra_matches", Passage(1), 0, id="one term"),
        pytest.param("extra_matches", Passage(1, ((POOL, False), (SIZE, False))), 40, id="two terms"),
        pytest.param("files", Passage(1, ((FILE, False),)), 0, id="a file's words"),
        pytest.param("symbols", Passage(1, ((SYMBOL, True),)), 10, id="symbol"),
        pytest.param("errors", Passage(1, ((ERROR, True),)), 12, id="error"),
        pytest.param("authority", Passage(1, role="assistant"), 5, id="assistant"),
        pytest.param("authority", Passage(1, role="bashExecution"), 4, id="shell"),
        pytest.param("authority", Passage(1, role="custom"), 1, id="extension"),
        pytest.param("authority", Passage(1, role=None), 1, id="no role"),
        pytest.param("recency", Passage(1), 0, id="all at one time"),
        pytest.param("recency", Passage(1, created_at=None), 0, id="no time"),
        pytest.param("length", Passage(1, tokens=90_000), -12, id="long"),
    ],
)
def test_a_component_is_worth_what_the_table_says(
    queries: PreparedQueries, component: str, passage: Passage, points: int
) -> None:
    (hit,) = rank(queries, passage).hits

    assert hit.components[component] == points


def test_a_literal_identifier_leads_a_phrase_and_that_leads_the_rest_whatever_the_score(
    queries: PreparedQueries,
) -> None:
    words = Passage(1, ((POOL, False), (SIZE, False), (SYMBOL, False), (ERROR, False)))
    phrase = Passage(2, ((PHRASE, True),), tokens=12_000)
    identifier = Passage(3, ((ERROR, True),), "toolResult", tokens=12_000, created_at=0)

    assert order(queries, words, phrase, identifier) == ["e3", "e2", "e1"]


def test_another_topic_outweighs_authority_recency_and_length(queries: PreparedQueries) -> None:
    one = Passage(1, ((FILE, False),), "user", 1000, 0)
    two = Passage(2, ((POOL, False), (SIZE, False)), "custom", 0, 90_000)

    assert order(queries, one, two) == ["e2", "e1"]


def test_ties_go_to_the_later_then_to_the_smaller_id(queries: PreparedQueries) -> None:
    # With times this close together recency is rounded away.
    far = Passage(9, created_at=10**15)
    timeless = Passage(0, created_at=None)
    ties = [Passage(4, created_at=0), Passage(3, created_at=0), Passage(5, created_at=1)]

    assert order(queries, timeless, far, *ties) == ["e9", "e5", "e3", "e4", "e0"]


def test_what_is_not_removed_from_the_branch_is_no_hit(queries: PreparedQueries) -> None:
    labels = [(0, 9), (0, 10), (1, 0), (2, 2), (2, 3), (2, 5), (2, 6)]

    assert order(queries, *(Passage(at, label=label) for at, label in enumerate(labels))) == [
        "e0",
        "e4",
        "e5",
    ]


def test_a_candidate_without_a_verified_match_is_no_hit(queries: PreparedQueries) -> None:
    assert order(queries, Passage(1, ()), Passage(2)) == ["e2"]


def test_an_entry_counts_by_its_best_passage(queries: PreparedQueries) -> None:
    words = ((POOL, False), (SIZE, False), (SYMBOL, False))
    (hit,) = rank(queries, Passage(1, words), Passage(1, ((PHRASE, True),)), Passage(1)).hits

    assert (hit.candidate.passage, hit.tier) == (1, "literal-phrase")
    assert [match.term.term.text for match in hit.candidate.matches] == ["pool size"]


def test_of_equal_texts_the_first_in_order_stays(queries: PreparedQueries) -> None:
    same = [Passage(1, created_at=1, text_hash="h"), Passage(2, created_at=2, text_hash="h"), Passage(3)]
    ranking = rank(queries, *same, Passage(4, role="custom", created_at=2, text_hash="h"))

    assert [hit.candidate.entry_id for hit in ranking.hits] == ["e3", "e2"]
    assert ranking.duplicates == 2


def test_nothing_found_is_nothing_ranked(queries: PreparedQueries) -> None:
    assert rank(queries) == Ranking()


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    entries = [
        Passage(
            entry,
            role=draw(st.sampled_from([*AUTHORITY, "custom", None])),
            created_at=draw(st.none() | st.integers(0, 3)),
            tokens=draw(st.sampled_from([0, 250, 12_000, 15_000])),
            text_hash=draw(st.sampled_from(["x", "y", None])),
            label=draw(st.sampled_from([(0, 0), (0, 10), (2, 3), (2, 6)])),
        )
        for entry in range(draw(st.integers(0, 6)))
    ]
    found = st.dictionaries(st.integers(0, 5), st.booleans(), max_size=6)
    return [
        replace(
            entry, matches=tuple((term, literal and term <= PHRASE) for term, literal in draw(found).items())
        )
        for entry in entries
        for _ in range(draw(st.integers(1, 3)))
    ]


@given(passages())
def test_the_order_is_the_tables_for_any_candidates(queries: PreparedQueries, given: list[Passage]) -> None:
    ranking = rank(queries, *given)
    expected = list(naive_ranking(given))

    first = [row for row in expected if not row[3]]
    assert [(hit.candidate.passage, hit.tier) for hit in ranking.hits] == [row[:2] for row in first]
    assert [hit.score for hit in ranking.hits] == pytest.approx([row[2] for row in first], abs=1e-6)
    assert ranking.duplicates == sum(copy for *_, copy in expected)
    assert all(adds_up(hit) for hit in ranking.hits)


@given(st.lists(passages(), min_size=1, max_size=4))
def test_requests_ranked_at_once_are_ranked_as_one_by_one(
    queries: PreparedQueries, given: list[list[Passage]]
) -> None:
    assert rank_hits(queries, [asked(*one) for one in given]) == [rank(queries, *one) for one in given]


def adds_up(hit: RankedHit) -> bool:
    return abs(sum(hit.components.values()) - hit.score) < 1e-6


def naive_ranking(given: list[Passage]) -> Iterator[tuple[int, str, float, bool]]:
    """Yield (passage, tier, score, whether an equal text stands before) in order."""
    on_branch = [
        (number, one)
        for number, one in enumerate(given)
        if one.matches
        and any(span.segment == one.label[0] and span.first <= one.label[1] <= span.last for span in REMOVED)
    ]
    times = [one.created_at for _, one in on_branch if one.created_at is not None]
    best_weight = max((weight(one) for _, one in on_branch), default=1)
    rows = [(number, one, tier(one), round(score(one, times, best_weight), 6)) for number, one in on_branch]

    def standing(row: tuple[int, Passage, int, float]) -> tuple[object, ...]:
        number, one, row_tier, row_score = row
        late = -1 if one.created_at is None else one.created_at
        return -row_tier, -row_score, -late, one.entry_id, number

    rows.sort(key=lambda row: (row[1].entry, -row[2], -row[3], row[0]))
    best = sorted((next(group) for _, group in groupby(rows, key=lambda row: row[1].entry)), key=standing)
    seen: set[str] = set()
    for number, one, row_tier, row_score in best:
        text = one.text_hash or one.entry_id
        yield number, ("lexical", "literal-phrase", "literal-identifier")[row_tier], row_score, text in seen
        seen.add(text)


def weight(one: Passage) -> float:
    return sum(TERMS[term].weight for term, _ in one.matches)


def tier(one: Passage) -> int:
    literals = {term for term, literal in one.matches if literal}
    return 2 if literals & {FILE, SYMBOL, ERROR} else 1 if PHRASE in literals else 0


def score(one: Passage, times: list[int], best_weight: float) -> float:
    literals = {term for term, literal in one.matches if literal}
    identifiers = len(literals & {FILE, SYMBOL, ERROR})
    span = max(times) - min(times) if times else 0
    return sum(
        (
            100 + min(12, 3 * (identifiers - 1)) if identifiers else 0,
            85 if PHRASE in literals else 0,
            60 + 10 * weight(one) / best_weight,
            40 * min(2, len(one.matches) - 1),
            15,
            12 * (FILE in literals) + 10 * (SYMBOL in literals) + 12 * (ERROR in literals),
            AUTHORITY.get(one.role or "", 1),
            8 * (one.created_at - min(times)) / span if span and one.created_at is not None else 0,
            -min(12, one.tokens / 1000),
        )
    )
