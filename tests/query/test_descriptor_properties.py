"""Laws of the descriptor: for every text, and for texts made of what the extractors look for."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.descriptor import MAX_EXACT_IDENTIFIERS, MAX_TERMS, Descriptor, describe
from uncompact.query.stopwords import STOPWORDS, fold_word, is_stopword

LONGEST_TERM = 300

any_text = st.text(st.characters(codec=None, categories=None), max_size=400)
pieces = st.sampled_from(
    (
        *(
            "`",
            "``",
            '"',
            "'",
            "’",
            "‘",
            "“",
            "”",
            "«",
            "»",
            "/",
            "\\",
            ".",
            "..",
            "::",
            "->",
            "#",
            "@",
            "--",
            "-",
            "_",
        ),
        *(
            "$",
            " ",
            "\n",
            "\0",
            "\x02",
            "\x03",
            "C:\\",
            "https://",
            "e.g.",
            "1.2",
            "HTTP ",
            "error[",
            "]",
            "(",
            ")",
        ),
        *(
            "src",
            "main.py",
            "parseConfig",
            "snake_case",
            "KeyError",
            "ENOENT",
            "E0277",
            "Go",
            "node.js",
            "c++",
            "solo",
        ),
        *(
            "perche\u0301",
            "缓存",
            "キャ",
            "ของ",
            "🚀",
            "\u200d",
            "\ud800",
            "İ",
            "ß",
            "\ufb01le",
            "𝐬𝐨𝐥𝐨",
            "\u0301",
        ),
    )
)
code_like = st.lists(pieces, max_size=60).map("".join)
requests = any_text | code_like

topics = st.sampled_from(
    ["pool", "cache", "osprey", "limit", "schermata", "parser", "git", "snake_case", "`solo`"]
)
openings = st.sampled_from(
    ["how", "let", "find", "add", "why", "dove", "quando", "postgres", "set", "explain", "env"]
)
natural_questions = st.tuples(openings, st.lists(topics, max_size=6)).map(
    lambda parts: f"{parts[0]} {' '.join(parts[1])}?"
)


def literals(described: Descriptor) -> list[str]:
    return [term.text for term in described.terms if term.kind in ("identifier", "phrase")]


@given(requests)
def test_any_text_gives_a_bounded_descriptor_that_can_be_written(request: str) -> None:
    described = describe(request)

    assert len(described.terms) <= MAX_TERMS
    assert len(described.exact_identifiers) <= MAX_EXACT_IDENTIFIERS
    assert all(0 < len(term.text) <= LONGEST_TERM for term in described.terms)
    assert len(described.objective) <= 500
    assert json.dumps(described.to_dict(), ensure_ascii=False).encode()


@given(requests)
def test_every_term_is_a_part_of_the_request(request: str) -> None:
    described = describe(request)

    assert [term.text for term in described.terms if term.text not in request] == []
    assert [text for text in described.exact_identifiers if text not in request] == []


@given(requests)
def test_literals_hold_no_line_end_and_no_control(request: str) -> None:
    assert not any(set(text) & set("\n\r\0\x02\x03\u2028") for text in literals(describe(request)))


@given(requests)
def test_a_descriptor_depends_on_the_request_alone(request: str) -> None:
    assert describe(request) == describe(request)


@given(requests)
def test_terms_are_distinct(request: str) -> None:
    terms = describe(request).terms
    words = [fold_word(term.text) for term in terms if term.kind in ("keyword", "technology")]

    assert len({term.text for term in terms}) == len(terms)
    assert len(set(words)) == len(words)


@given(requests)
def test_no_keyword_is_a_stopword(request: str) -> None:
    keywords = [term.text for term in describe(request).terms if term.kind == "keyword"]

    assert not any(is_stopword(word) for word in keywords)


@given(
    st.lists(st.sampled_from(sorted(STOPWORDS)), max_size=30),
    st.sampled_from([" ", ", ", "? ", "\n", "… ", "' "]),
)
def test_stopwords_alone_have_no_topic(words: list[str], separator: str) -> None:
    assert not describe(separator.join(words)).has_topic
    assert not describe(separator.join(words).upper()).has_topic
    assert not describe(separator.join(words).title()).has_topic


@given(natural_questions)
def test_the_first_letters_case_does_not_change_the_literals(question: str) -> None:
    assert literals(describe(question)) == literals(describe(question[0].upper() + question[1:]))


@given(code_like, st.integers(2, 40))
def test_repeating_a_request_finds_the_same_names(request: str, times: int) -> None:
    once, often = describe(request + "\n"), describe((request + "\n") * times)

    assert set(once.backticked) <= set(often.backticked)
