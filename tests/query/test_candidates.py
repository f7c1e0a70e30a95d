"""Terms to candidates: what an index word cannot tell is looked up in the passage, and nothing that stands is missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.active_context import ActiveContext, Branch
from uncompact.pipelines.companion_db import first_row
from uncompact.pipelines.index_text import index_text
from uncompact.pipelines.passage_codec import PassageCodec
from uncompact.pipelines.sql_files import load_sql
from uncompact.pipelines.sqlite import execute, execute_many
from uncompact.pipelines.tree import Interval
from uncompact.query.candidates import POOL, Found, Match, find_candidates
from uncompact.query.descriptor import Descriptor, Term, describe
from uncompact.query.postings import read_postings
from uncompact.query.scope import Range, Scope, SessionRow
from uncompact.query.settings import RetrievalSettings
from uncompact.query.terms import SearchTerm, prepare_terms

CODEC = PassageCodec()
PLAIN = RetrievalSettings(stems=False, subtokens=False)


@dataclass
class Passages:
    """A companion in memory; each ``hold`` makes a session with one entry for each passage, all eligible."""

    connection: apsw.Connection
    session: int = 0
    held: int = 0

    @property
    def base(self) -> int:
        return first_row(self.session)

    def hold(self, texts: Sequence[str], *, label: str = "") -> None:
        self.session += 1
        self.held = len(texts)
        base = self.base
        entries = [
            (base + at, self.session, f"e{at}", "message", "user", at, 9, f"h{at}", len(text), at, label, 0, at,
             base + at, base + at, 1)
            for at, text in enumerate(texts)
        ]  # fmt: skip
        execute_many(self.connection, load_sql("uncompact.pipelines", "insert_entry"), entries)
        packed = [(base + at, at, 0, CODEC.pack(text)) for at, text in enumerate(texts)]
        execute_many(self.connection, load_sql("uncompact.pipelines", "insert_passage"), packed)
        words = [(base + at, index_text(f"{label}\n{text}")) for at, text in enumerate(texts)]
        execute_many(self.connection, load_sql("uncompact.pipelines", "insert_words"), words)

    def scope(self, first: int = 0, last: int = 9999) -> Scope:
        branch = Branch([Interval(0, 0, 9999)])
        session = SessionRow(self.session, "key", "id", "/logs/s.jsonl", "/project", None, self.held, "")
        eligible: tuple[Range, ...] = ((self.base + first, self.base + last),)
        return Scope(session, "leaf", ActiveContext(branch, 0, None), branch.intervals, eligible, (), ())

    def terms(self, *terms: Term) -> tuple[SearchTerm, ...]:
        return prepare_terms(self.connection, descriptor(*terms), PLAIN)

    def find(self, *terms: Term, first: int = 0, last: int = 9999) -> Found:
        return find_candidates(self.connection, CODEC, self.scope(first, last), self.terms(*terms))

    def places(self, found: Found) -> list[int]:
        return [candidate.passage - self.base for candidate in found.candidates]

    def matches(self, text: str, term: Term) -> list[str]:
        """Say how a term matches in a text: ``literal``, ``words`` or not at all."""
        self.hold([text])
        return ["literal" if match.literal else "words" for match in matches_of(self.find(term))]


@pytest.fixture(scope="module")
def passages() -> Iterator[Passages]:
    connection = apsw.Connection(":memory:")
    execute(connection, load_sql("uncompact.pipelines", "create_companion"))
    yield Passages(connection)
    connection.close()


def matches_of(found: Found) -> list[Match]:
    return [match for candidate in found.candidates for match in candidate.matches]


def keyword(text: str) -> Term:
    return Term(text, "keyword")


def identifier(text: str) -> Term:
    return Term(text, "identifier")


def descriptor(*terms: Term) -> Descriptor:
    return replace(describe(""), terms=terms)


@pytest.mark.parametrize(
    ("term", "query"),
    [
        pytest.param("pool", '"pool"', id="word"),
        pytest.param("Größe", '"große"', id="folded"),
        pytest.param("parse_config", '"parse" "config"', id="snake name"),
        pytest.param("->", '"zp2d3e"', id="operator"),
        pytest.param("a->b", '"a" "b"', id="operator between words"),
        pytest.param("zpool status", '"zpool" "status"', id="word that begins like an operator"),
        pytest.param("缓存键", '"缓存" "存键"', id="pairs inside a run"),
        pytest.param("键", '"键"*', id="one character"),
        pytest.param("gen计划", '"gen" "计划"', id="two scripts"),
        pytest.param("🚀", '"zs1f680"', id="emoji"),
        pytest.param('say "hi"', '"say" "hi"', id="quotes"),
    ],
)
def test_terms_are_spelled_as_the_index_has_them(passages: Passages, term: str, query: str) -> None:
    assert [one.match for one in prepare_terms(passages.connection, descriptor(keyword(term)), PLAIN)] == [
        query
    ]


@pytest.mark.parametrize("term", ["", "()", "=", "''", "=====", "\u0301"])
def test_a_term_without_words_is_not_searched(passages: Passages, term: str) -> None:
    assert prepare_terms(passages.connection, descriptor(keyword(term)), PLAIN) == ()


@pytest.mark.parametrize(
    ("text", "term", "how"),
    [
        pytest.param("see parse_config()", "parse_config", ["literal"], id="literal"),
        pytest.param("see Parse config", "parse_config", ["words"], id="literal's words"),
        pytest.param("config, then parse", "parse_config", [], id="words in another order"),
        pytest.param("Address", "Add", [], id="part of a word"),
        pytest.param("add it", "Add", ["words"], id="other case"),
        pytest.param("x --no-verify-ssl", "--no-verify", ["words"], id="longer flag"),
        pytest.param("a->b", "->", ["literal"], id="operator"),
        pytest.param("a ==== b", "==", [], id="part of a ruler"),
        pytest.param("用gen-plan命令", "gen-plan", ["literal"], id="glued to Chinese"),
        pytest.param("by 👩\u200d💻!", "👩\u200d💻", ["literal"], id="joined emoji"),
    ],
)
def test_identifiers_match_as_they_stand_or_by_their_words(
    passages: Passages, text: str, term: str, how: list[str]
) -> None:
    assert passages.matches(text, identifier(term)) == how


@pytest.mark.parametrize(
    ("text", "term"),
    [
        pytest.param("我们用缓存键。", "缓存键", id="end of a run"),
        pytest.param("缓存键值对", "缓存键", id="inside a longer run"),
        pytest.param("缓存键", "键", id="last character"),
        pytest.param("缓存键", "缓", id="first character"),
        pytest.param("全角カタカナ語", "カタカナ", id="katakana"),
        pytest.param("연결 스케줄러를", "스케줄러", id="Korean"),
        pytest.param("ปรับขนาดพูล", "ขนาด", id="Thai"),
        pytest.param("用gen计划书", "gen计划", id="two scripts"),
        pytest.param("यह हिन्दी है", "हिन्दी", id="Hindi"),
        pytest.param("Мой файл", "файл", id="Cyrillic"),
        pytest.param("ΟΔΟΣ", "οδος", id="final sigma"),
        pytest.param("deploy 🚀 now", "deploy 🚀", id="word and emoji"),
        pytest.param("zpool status -v", "zpool status", id="word that begins like an operator"),
    ],
)
def test_keywords_of_any_script_are_found(passages: Passages, text: str, term: str) -> None:
    assert passages.matches(text, keyword(term)) == ["words"]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        pytest.param("存键 缓存", "缓存键", id="pairs apart"),
        pytest.param("กากี", "กิ", id="Thai with other vowels"),
        pytest.param("status of a pool", "zpool status", id="only one word"),
        pytest.param("precached", "cache", id="part of a word"),
    ],
)
def test_keywords_that_only_resemble_are_not_found(passages: Passages, text: str, term: str) -> None:
    assert passages.matches(text, keyword(term)) == []


FILLINGS = st.text(alphabet="aB3é _-.\n缓存ガ🚀\u0301", max_size=6)
TERMS = [
    "parse_config",
    "src/a-b.py",
    "--dry-run",
    "E0277",
    "->",
    "缓存键",
    "键",
    "ガ行",
    "gen计划",
    "Größe",
    "C++",
    "👩\u200d💻",
]


@given(
    before=FILLINGS, term=st.sampled_from(TERMS), after=FILLINGS, glue=st.sampled_from([" ", "(", "\n", ", "])
)
def test_a_literal_that_stands_whole_is_found(
    passages: Passages, before: str, term: str, after: str, glue: str
) -> None:
    assert passages.matches(f"{before}{glue}{term}{glue}{after}", identifier(term)) == ["literal"]


@given(before=FILLINGS, term=st.sampled_from(["缓存键", "键", "ガ行", "ขนาด", "크기"]), after=FILLINGS)
def test_terms_without_word_edges_are_found_anywhere(
    passages: Passages, before: str, term: str, after: str
) -> None:
    if after[:1] == "\u0301":
        return

    assert passages.matches(before + term + after, keyword(term)) == ["words"]


@given(
    text=st.text(alphabet="aAdD_- 缓存键", max_size=12), term=st.sampled_from(["add", "a_d", "缓存", "a-d d"])
)
def test_whatever_matches_by_words_holds_them(passages: Passages, text: str, term: str) -> None:
    if passages.matches(text, keyword(term)):
        assert set("".join(term.split()).replace("_", "").replace("-", "")) <= set(text.casefold())


def test_matches_in_the_label_count_as_words(passages: Passages) -> None:
    passages.hold(["no such thing"], label="read src/main.py")

    assert [match.literal for match in matches_of(passages.find(identifier("src/main.py")))] == [False]


def test_only_eligible_passages_are_candidates(passages: Passages) -> None:
    passages.hold(["pool"] * 5)

    assert passages.places(passages.find(keyword("pool"), first=1, last=3)) == [3, 2, 1]


def test_a_passage_counts_once_however_many_terms_it_matches(passages: Passages) -> None:
    passages.hold(["pool size", "pool", "size", "neither"])
    found = passages.find(keyword("pool"), keyword("size"))

    assert (found.matching, len(found.candidates), len(matches_of(found))) == (3, 3, 4)


def test_the_pool_is_cut_by_evidence_before_age(passages: Passages) -> None:
    passages.hold(["pool outage decision", *["pool"] * (POOL + 50)])
    found = passages.find(keyword("pool"), keyword("outage"))

    assert len(found.candidates) == POOL
    assert found.matching == POOL + 51
    assert passages.places(found)[:2] == [0, POOL + 50]


def test_rarer_terms_weigh_more(passages: Passages) -> None:
    passages.hold(["pool size", "pool", "pool"])
    pool, size = passages.find(keyword("pool"), keyword("size")).postings.terms

    assert 0 < pool.weight < size.weight


def test_nothing_is_found_without_terms(passages: Passages) -> None:
    passages.hold(["pool"])

    assert passages.find().candidates == ()


def test_matching_passages_are_counted_once_in_all_ranges(passages: Passages) -> None:
    passages.hold(["pool size", "pool", "size", "neither", "pool"])
    base, scope = passages.base, passages.scope()
    postings = read_postings(passages.connection, scope, passages.terms(keyword("pool"), keyword("size")))

    assert postings.count([(base, base + 1), (base + 3, base + 4)]) == 3
    assert postings.count([]) == 0
    assert postings.count([scope.session.all_passages]) == postings.matching == 4


def test_common_terms_are_ordered_as_rare_ones_are(passages: Passages) -> None:
    texts = ["pool"] * 6000
    texts[7], texts[4000], texts[9] = "pool size limit", "pool size", "pool limit"
    passages.hold(texts)
    found = passages.find(keyword("pool"), keyword("size"), keyword("limit"))

    assert passages.places(found)[:5] == [7, 4000, 9, 5999, 5998]
    assert found.postings.matching == 6000


@given(data=st.data())
def test_the_order_is_that_of_all_evidence_sorted(passages: Passages, data: st.DataObject) -> None:
    words = ["pool", "size", "limit", "depth", "maxKeel"]
    texts = data.draw(st.lists(st.lists(st.sampled_from(words), max_size=5).map(" ".join), max_size=30))
    asked = data.draw(st.lists(st.sampled_from(words), min_size=1, unique=True))
    passages.hold(texts)
    found = passages.find(*(identifier(word) if word == "maxKeel" else keyword(word) for word in asked))

    def evidence(place: int) -> tuple[float, ...]:
        held = [term for term in found.postings.terms if term.term.text in texts[place].split()]
        level = 4 if any(term.is_literal for term in held) else min(len(held), 3)
        return level, round(sum(term.weight for term in held), 9), place

    holding = [place for place, text in enumerate(texts) if set(asked) & set(text.split())]
    assert passages.places(found) == sorted(holding, key=evidence, reverse=True)


def test_an_entry_of_many_passages_does_not_crowd_out_others(passages: Passages) -> None:
    passages.hold(["pool size"])
    base = passages.base
    longer = [(base + at, 1, at, CODEC.pack("pool size")) for at in range(1, POOL + 20)]
    execute_many(passages.connection, load_sql("uncompact.pipelines", "insert_passage"), longer)
    execute_many(
        passages.connection,
        load_sql("uncompact.pipelines", "insert_words"),
        ((row[0], "pool size") for row in longer),
    )
    entry = (
        base + 1,
        passages.session,
        "long",
        "message",
        "user",
        1,
        9,
        "h",
        9,
        1,
        "",
        0,
        1,
        base + 1,
        base + 1,
        300,
    )
    execute(passages.connection, load_sql("uncompact.pipelines", "insert_entry"), entry)
    passages.held = POOL + 20

    assert sorted(one.entry_id for one in passages.find(keyword("pool"), keyword("size")).candidates) == [
        "e0", "long", "long", "long",
    ]  # fmt: skip
