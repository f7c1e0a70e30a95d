"""Prepared text in a real FTS5 table: a word is found exactly where the prepared text holds it."""

from __future__ import annotations

from collections.abc import Iterator

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
        pytest.param("漢字かな", " 漢字 字か かな な ", id="pairs"),
        pytest.param("字", " 字 ", id="one character"),
        pytest.param("a✅b", "a zs2705 b", id="symbol"),
        pytest.param("a\0b", "a b", id="NUL"),
        pytest.param("a -> b -> c", "a -> b -> c zp2d3e", id="an operator once"),
        pytest.param("a ==== b", "a ==== b", id="a ruler is no operator"),
        pytest.param("x = 1", "x = 1", id="one character is no operator"),
        pytest.param("漢字->", " 漢字 字 -> zp2d3e", id="both"),
    ],
)
def test_texts_are_prepared_as_documented(text: str, prepared: str) -> None:
    assert index_text(text) == prepared


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
