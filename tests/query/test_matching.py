"""A term is found where it stands whole, and at its place in the original text."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.matching import find_literal, find_words, split_words

KEYS = "缓存键"
ACCENTED = "Größe der Ölkühler"


def literals(text: str, literal: str) -> list[str]:
    return [text[start:end] for start, end in find_literal(text, literal)]


def words(text: str, term: str) -> list[str]:
    return [text[start:end] for start, end in find_words(text, (split_words(term),))]


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        pytest.param("Add", "Address", id="longer word"),
        pytest.param("Add", "PreAdd", id="end of a word"),
        pytest.param("Add", "add", id="other case"),
        pytest.param("parse", "parse_config", id="part of a snake name"),
        pytest.param("E0277", "error[E02771]", id="longer code"),
        pytest.param("main.py", "main.pyc", id="longer extension"),
        pytest.param("src/main.py", "mysrc/main.py", id="longer folder"),
        pytest.param("foo-bar", "foo-bar-baz", id="longer kebab name"),
        pytest.param("foo-bar", "x-foo-bar", id="kebab name behind another"),
        pytest.param("--no-verify", "--no-verify-ssl", id="longer flag"),
        pytest.param("--verify", "--verify-ssl", id="longer flag from a plain one"),
        pytest.param("--force", "push--force", id="flag behind a word"),
        pytest.param("--force", "---force", id="flag behind a dash"),
        pytest.param("cafe", "cafe\u0301", id="accent behind"),
        pytest.param("foo", "e\u0301foo", id="accented letter before"),
        pytest.param("か", "か\u3099", id="voiced kana"),
        pytest.param(">", ">\u0338", id="mark on an operator"),
        pytest.param("💻", "👩\u200d💻", id="part of an emoji"),
        pytest.param("👩", "👩\u200d💻", id="beginning of an emoji"),
        pytest.param("", "anything", id="nothing"),
        pytest.param("longer than it", "longer", id="longer than the text"),
    ],
)
def test_a_literal_is_no_part_of_a_longer_token(literal: str, text: str) -> None:
    assert literals(text, literal) == []


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        pytest.param("Add", "Add", id="whole text"),
        pytest.param("E0277", "error[E0277]: trait", id="in brackets"),
        pytest.param("src/main.py", "/abs/src/main.py", id="end of a path"),
        pytest.param("src/main.py", "(src/main.py:3)", id="path and line"),
        pytest.param("--no-verify", "git commit --no-verify.", id="flag"),
        pytest.param("--no-verify", "使用--no-verify提交", id="flag in Chinese"),
        pytest.param("gen-plan", "运行gen-plan命令", id="glued to Chinese"),
        pytest.param("foo-bar", "foo-bar- and --foo-bar", id="kebab name with dashes around"),
        pytest.param("foo-bar", "foo-bar->baz", id="kebab name before an arrow"),
        pytest.param("->", "a->b", id="operator"),
        pytest.param("-", "a-b", id="dash"),
        pytest.param("#12", "repo#12,", id="leading mark"),
        pytest.param("C++", "C++, C#", id="trailing marks"),
        pytest.param("$HOME", "'$HOME'", id="dollar"),
        pytest.param(KEYS, "使用缓存键值", id="Chinese in a longer run"),
        pytest.param("👩\u200d💻", "by 👩\u200d💻!", id="joined emoji"),
        pytest.param("❤", "❤\ufe0f", id="emoji in its other presentation"),
        pytest.param("café", "un café noir", id="accented"),
        pytest.param("cafe\u0301", "un cafe\u0301 noir", id="accented with a mark"),
        pytest.param("it's", "it's", id="apostrophe"),
    ],
)
def test_a_literal_is_found_where_it_stands_whole(literal: str, text: str) -> None:
    assert literal in literals(text, literal)


def test_every_occurrence_of_a_literal_is_found() -> None:
    assert list(find_literal("ab Xab ab(ab)", "ab")) == [(0, 2), (7, 9), (10, 12)]


def test_overlapping_occurrences_of_a_literal_are_found() -> None:
    assert list(find_literal("a.a.a", "a.a")) == [(0, 3), (2, 5)]


@given(
    st.text(alphabet="ab-_ 字e\u0301", max_size=12),
    st.text(alphabet="ab-_ 字e\u0301", min_size=1, max_size=3),
)
def test_a_found_literal_is_there(text: str, literal: str) -> None:
    assert set(literals(text, literal)) <= {literal}


@given(
    st.text(max_size=20),
    st.sampled_from(["Add", "src/a.py", "foo-bar", "--dry-run", "E0277"]),
    st.text(max_size=20),
)
def test_a_literal_between_blanks_is_found(before: str, literal: str, after: str) -> None:
    assert literal in literals(f"{before} {literal} {after}", literal)


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        pytest.param("cache", "The Cache, CACHE", ["Cache", "CACHE"], id="case"),
        pytest.param("cache", "cached precache", [], id="longer words"),
        pytest.param("parse", "parse_config", ["parse"], id="part of a snake name"),
        pytest.param("parse_config", "Parse config", ["Parse config"], id="separated"),
        pytest.param("parse_config", "parse the config", [], id="not next to each other"),
        pytest.param("größe", ACCENTED, ["Größe"], id="umlaut"),
        pytest.param("GROSSE", "Größe", [], id="sharp s is a letter of its own"),
        pytest.param("straße", "STRAẞE Straße", ["STRAẞE", "Straße"], id="capital sharp s"),
        pytest.param("istanbul", "İstanbul", ["İstanbul"], id="Turkish capital dotted I"),
        pytest.param("ΟΔΟΣ", "οδος", ["οδος"], id="final sigma"),
        pytest.param("όρος", "ΌΡΟΣ", ["ΌΡΟΣ"], id="Greek accent"),
        pytest.param("файл", "Файл", ["Файл"], id="Cyrillic short i"),
        pytest.param("ﬁle", "a ﬁle", ["ﬁle"], id="ligature"),
        pytest.param("हिन्दी", "यह हिन्दी है", ["हिन्दी"], id="Hindi"),
        pytest.param("שָׁלוֹם", "שָׁלוֹם רב", ["שָׁלוֹם"], id="pointed Hebrew"),
        pytest.param("스케줄러", "연결 스케줄러를", ["스케줄러"], id="Korean"),
        pytest.param("가", "각", [], id="syllable with another end"),
        pytest.param(KEYS, KEYS, [KEYS], id="Chinese"),
        pytest.param(KEYS, "使用缓存键值", [KEYS], id="Chinese in a longer run"),
        pytest.param("键", "缓存键值", ["键"], id="one Chinese character"),
        pytest.param("カタカナ", "全角カタカナ語", ["カタカナ"], id="katakana"),
        pytest.param("カ", "ガ", [], id="voiced katakana"),
        pytest.param("gen计划", "用gen计划书", ["gen计划"], id="two scripts"),
        pytest.param("gen计划", "oxygen计划", [], id="two scripts, longer word"),
        pytest.param("plan", "计划plan书", ["plan"], id="glued to Chinese"),
        pytest.param("ขนาด", "ปรับขนาดพูล", ["ขนาด"], id="Thai"),
        pytest.param("🚀", "go 🚀 go", ["🚀"], id="emoji"),
        pytest.param("->", "a->b", ["->"], id="operator"),
    ],
)
def test_words_are_compared_folded(term: str, text: str, found: list[str]) -> None:
    assert words(text, term) == found


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_words_are_found_in_both_forms_of_accents(
    form: Literal["NFC", "NFD"], asked: Literal["NFC", "NFD"]
) -> None:
    text = unicodedata.normalize(form, f"— {ACCENTED}, größer")
    found = words(text, unicodedata.normalize(asked, "größe"))

    assert found == [unicodedata.normalize(form, "Größe")]


def test_spans_hold_the_accents_of_their_last_letter() -> None:
    assert words("voilà cafe\u0301!", "cafe") == ["cafe\u0301"]


@given(
    st.text(alphabet="aBé ß\u0301İ缓存ガ🚀-_가", max_size=20),
    st.sampled_from(["ab", "é", "存", "ガ", "a b", "🚀"]),
)
def test_a_span_of_words_reads_as_the_term(text: str, term: str) -> None:
    for found in words(text, term):
        assert split_words(found) == split_words(term)


@given(
    st.text(max_size=20),
    st.sampled_from(["ab", "Größe", KEYS, "ガ", "a.b", "हिन्दी", "файл"]),
    st.text(max_size=20),
)
def test_words_between_blanks_are_found(before: str, term: str, after: str) -> None:
    assert term in words(f"{before} {term} {after}", term)


def test_no_words_are_found_nowhere() -> None:
    assert list(find_words("text", ())) == []


def test_a_term_of_nothing_has_no_words() -> None:
    assert split_words("") == ()


@pytest.mark.usefixtures("time_limit")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 200_000, id="one word"),
        pytest.param("aa " * 70_000, id="words"),
        pytest.param("é" * 200_000, id="accents"),
        pytest.param("字a" * 100_000, id="two scripts"),
    ],
)
def test_long_texts_are_searched_in_linear_time(text: str) -> None:
    assert not literals(text, "aaaa-" * 30)
    assert not words(text, "a" * 150)
    assert not words(text, "b c d")
