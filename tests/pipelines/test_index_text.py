"""Prepared text in a real FTS5 table: a word is found exactly where the prepared text holds it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.index_text import OPERATOR_CHARS, index_text, is_unspaced
from uncompact.pipelines.sqlite import execute, rows, value

WORDS = ["pool", "size", "37", "Übung", "naïve", "x1"]
GAPS = [" ", "\n", ".", "(", "\0", "->", "漢字", "→", "😀", "'"]

texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=8)


@pytest.fixture(scope="module")
def index() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    execute(
        connection, "create virtual table words using fts5 (body, tokenize = 'unicode61 remove_diacritics 2')"
    )
    yield connection
    connection.close()


def hits(index: apsw.Connection, text: str, word: str) -> bool:
    execute(index, "delete from words")
    execute(index, "insert into words (rowid, body) values (1, ?)", (index_text(text),))
    return bool(list(rows(index, "select rowid from words where words match ?", (f'"{word}"',))))


@given(pieces=texts, word=st.sampled_from(WORDS))
def test_a_word_is_found_exactly_where_the_text_holds_it(
    index: apsw.Connection, pieces: list[tuple[str, str]], word: str
) -> None:
    text = "".join(one + gap for one, gap in pieces)

    assert hits(index, text, word) == (word in [one for one, _ in pieces])


@pytest.mark.parametrize(
    ("text", "term"),
    [
        pytest.param("接続プールの上限は三十七です", "プール", id="Japanese"),
        pytest.param("连接池大小是三十七", "大小", id="Chinese"),
        pytest.param("연결 풀 크기를 정했다", "크기", id="Korean"),
        pytest.param("ขนาดพูลคือสามสิบเจ็ด", "พูล", id="Thai"),
        pytest.param("done ✅ at last", "✅", id="symbol"),
        pytest.param("shipped 🚀!", "🚀", id="emoji"),
        pytest.param("a->b", "->", id="arrow of operators"),
        pytest.param("std::vector", "::", id="two colons"),
        pytest.param("if (a !== b)", "!==", id="three operators"),
        pytest.param("x\0pool", "pool", id="behind a NUL"),
    ],
)
def test_terms_without_word_edges_are_found_once_prepared(
    index: apsw.Connection, text: str, term: str
) -> None:
    # Bare operators are no words, and a run's last character alone stands at its end only.
    prepared = [word for word in index_text(term).split() if any(map(str.isalnum, word))]
    words = [word for word in prepared if len(word) > 1 or not is_unspaced(word)]

    assert words
    assert all(hits(index, text, word) for word in words)


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("plain text, 37!", "plain text, 37!", id="plain text stays"),
        pytest.param("漢字かな", "  漢字 字か かな な", id="pairs"),
        pytest.param("字", "  字", id="one character"),
        pytest.param("a✅b", "a b zs2705", id="symbol"),
        pytest.param("日本語と日本", "  日本 本語 語と と日 日本 本", id="a run that repeats itself"),
        pytest.param("a\0b", "a b", id="NUL"),
        pytest.param("a -> b -> c", "a -> b -> c zp2d3e", id="an operator once"),
        pytest.param("a ==== b", "a ==== b", id="a ruler is no operator"),
        pytest.param("x = 1", "x = 1", id="one character is no operator"),
        pytest.param("漢字->", " -> zp2d3e 漢字 字", id="both"),
        pytest.param("é漢", "é  漢", id="behind a letter of two bytes"),
    ],
)
def test_texts_are_prepared_as_documented(text: str, prepared: str) -> None:
    assert index_text(text) == prepared


# Letters of one to four bytes, symbols and marks of every kind that the tokenizer takes for a part of a word or not.
_MIXED = st.text(alphabet="ab0é-> \n\0\u0301\ufe0fжक—漢字語かไ🚀✅₂ℕ①─𠀀", max_size=40)


@given(text=_MIXED | _MIXED.map(lambda text: f"{text} " * 40) | st.text(st.characters(codec="utf-8")))
def test_the_words_are_those_of_a_text_spelled_in_place(index: apsw.Connection, text: str) -> None:
    assert words(index, index_text(text)) == words(index, spelled_in_place(text))


def words(index: apsw.Connection, text: str) -> set[str]:
    untyped: Any = index
    tokenize = untyped.fts5_tokenizer("unicode61", ["remove_diacritics", "2"])
    return {word for *_, word in tokenize(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)}


def spelled_in_place(text: str) -> str:
    """Spell as documented, character by character."""
    spelled: list[str] = []
    operators: set[str] = set()
    for kind, group in groupby(text, key=kind_of):
        run = "".join(group)
        if kind == "unspaced":
            spelled += [" ", *(f"{one}{other} " for one, other in pairwise(f"{run} "))]
        elif kind == "symbol":
            spelled += [f" zs{ord(character):x} " for character in run]
        else:
            spelled.append(run.replace("\0", " "))
        if kind == "operator" and 1 < len(run) < 4:
            operators.add(f" zp{run.encode().hex()}")
    return "".join([*spelled, *operators])


def kind_of(character: str) -> str:
    if is_unspaced(character):
        return "unspaced"
    if character in OPERATOR_CHARS:
        return "operator"
    # A symbol becomes a word of its own, behind a blank.
    return "symbol" if index_text(character).strip().startswith("zs") else "plain"


@given(text=st.text() | st.text(alphabet=OPERATOR_CHARS + " 字a"))
def test_any_text_can_be_indexed(index: apsw.Connection, text: str) -> None:
    hits(index, text.encode("utf-8", "replace").decode(), "x")

    assert value(index, "select count(*) from words") == 1


def test_scripts_without_spaces_are_known() -> None:
    assert [is_unspaced(text) for text in ("pool", "Größe", "プール", "size 大小")] == [
        False,
        False,
        True,
        True,
    ]
