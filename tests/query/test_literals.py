"""Literals in a text: each kind, and the prose that only resembles it."""

from __future__ import annotations

import pytest

from uncompact.query.literals import (
    find_backticked,
    find_flags,
    find_phrases,
    find_qualified,
    find_symbols,
    is_short_flag,
)


@pytest.mark.parametrize(
    ("text", "backticked"),
    [
        pytest.param("where is `solo` and `kebab-case-name`?", ["solo", "kebab-case-name"], id="words"),
        pytest.param("`npm run build`", ["npm run build"], id="blanks inside"),
        pytest.param("``a`` and ```b c```", ["b c"], id="longer fences"),
        pytest.param("`Foo` `foo` `Foo`", ["Foo", "foo"], id="case differs"),
        pytest.param("`100%_done` `->` `::`", ["100%_done", "->", "::"], id="marks"),
        pytest.param("`👩‍💻` `键`", ["👩‍💻", "键"], id="one character that can be found"),
        pytest.param("`i` or `x`", [], id="one letter is everywhere"),
        pytest.param("```python\nprint(1)\n```", [], id="code block"),
        pytest.param("`a\nb` c `dd`", ["dd"], id="not across lines"),
        pytest.param("`` ` ` `", [], id="nothing inside"),
        pytest.param("`" + "a" * 161 + "`", [], id="too long"),
        pytest.param("`a\0b` `c\ud800`", [], id="no control and no half of a pair"),
    ],
)
def test_backticked_text_is_found(text: str, backticked: list[str]) -> None:
    assert find_backticked(text) == tuple(backticked)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        pytest.param('the "crake mode" option', ["crake mode"], id="straight"),
        pytest.param("the 'connection pool' option", ["connection pool"], id="straight single"),
        pytest.param("“crake mode” and ‘pool size’", ["crake mode", "pool size"], id="curly"),
        pytest.param("“l’errore di rete”", ["l’errore di rete"], id="apostrophe in curly"),
        pytest.param("‘the user’s pool’", ["the user’s pool"], id="apostrophe in single curly"),
        pytest.param("„deutsch hier“ „po polsku”", ["deutsch hier", "po polsku"], id="low"),
        pytest.param("«schermata di accesso» ‹breve›", ["schermata di accesso", "breve"], id="angle"),
        pytest.param("« en français »", ["en français"], id="angle with blanks"),
        pytest.param("「缓存目录」『键』《存》", ["缓存目录"], id="corner"),
        pytest.param('"it\'s broken"', ["it's broken"], id="apostrophe inside"),
        pytest.param('key="some value"', ["some value"], id="after a mark"),
        pytest.param('x "a b c" "d e f"', ["a b c", "d e f"], id="in order"),
        pytest.param('"Caffe\u0300 nero"', ["Caffe\u0300 nero"], id="not normalized"),
    ],
)
def test_phrases_are_found(text: str, phrases: list[str]) -> None:
    assert find_phrases(text) == tuple(phrases)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I don't think that's right",
            "I don’t think that’s right",
            "the admins' panel and the users' panel",
        ),
        *(
            "l'errore dell'utente, un po' strano",
            "l’errore dell’utente, un po’ strano",
            "perche' non va? e' rotto",
        ),
        *(
            "'tis the users' fault",
            "'sta cosa e' strana",
            "the '90s and the '80s'",
            "rock 'n' roll",
            "crake's mode",
        ),
        *('"crake mode', 'crake mode"', '""', '" "', '"…"', '5" and 3" disks', '"a\nb c"', "''", "‘’", "«»"),
        *('`print("hello world")`', '"ab"', "'a'", '"' + "a b " * 60 + '"', '"a\0b c"', '"half \ud800 pair"'),
    ],
)
def test_apostrophes_and_unpaired_quotes_make_no_phrase(text: str) -> None:
    assert find_phrases(text) == ()


@pytest.mark.parametrize(
    ("text", "qualified"),
    [
        pytest.param("a.b.c and pkg.mod.func()", ["a.b.c", "pkg.mod.func"], id="dots"),
        pytest.param("std::vec::Vec<T>, A::b", ["std::vec::Vec", "A::b"], id="colons"),
        pytest.param("obj->field Class#method", ["obj->field", "Class#method"], id="arrow and hash"),
        pytest.param("@app.route, $scope.items", ["app.route", "$scope.items"], id="marks before"),
        pytest.param("usa solo.tutte", ["solo.tutte"], id="made of stopwords"),
        pytest.param("example.com", ["example.com"], id="domain"),
        pytest.param(
            "see https://example.com/a.html?x=1#y.", ["https://example.com/a.html?x=1#y"], id="address"
        ),
        pytest.param("mail me.too@example.com", ["me.too@example.com"], id="mail"),
        pytest.param("@scope/package", ["@scope/package"], id="package"),
        pytest.param("e.g. i.e. p.es. S.p.A. 9 a.m.", [], id="abbreviations"),
        pytest.param("J.K. Rowling, U.S.A.", [], id="initials"),
        pytest.param("Fine.Then cache.The", [], id="sentences without a blank"),
        pytest.param("wait...what 1.2.3 v1.2 src/main.rs", [], id="dots, versions, files"),
        pytest.param("node.js", [], id="technology"),
        pytest.param("http://" + "a" * 300, [], id="address too long"),
    ],
)
def test_qualified_names_are_found(text: str, qualified: list[str]) -> None:
    assert find_qualified(text) == tuple(qualified)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        pytest.param("was --no-verify allowed?", ["--no-verify"], id="long"),
        pytest.param(
            "(--max_old=4096) [--dry-run]", ["--max_old", "--dry-run"], id="with value and in brackets"
        ),
        pytest.param("usa `--force`.", ["--force"], id="backticked"),
        pytest.param("use `-rf`, not -f", ["-rf"], id="short only in backticks"),
        pytest.param("`rm -rf x`", [], id="short inside a command"),
        pytest.param("word--another -- --- -crake", [], id="dashes"),
    ],
)
def test_flags_are_found(text: str, flags: list[str]) -> None:
    assert find_flags(text) == tuple(flags)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        pytest.param("parseConfig and PascalCase", ["parseConfig", "PascalCase"], id="camel"),
        pytest.param("HTTPServer", ["HTTPServer"], id="capitals before a word"),
        pytest.param("parse_config, MAX_SIZE", ["parse_config", "MAX_SIZE"], id="underscore"),
        pytest.param("__init__ _private class_", ["__init__", "_private", "class_"], id="outer underscores"),
        pytest.param("$scope and foo$bar", ["$scope", "foo$bar"], id="dollar"),
        pytest.param("naïve_größe", ["naïve_größe"], id="accents"),
        pytest.param("已重跑gen_plan后", ["gen_plan"], id="touching Chinese"),
        pytest.param(
            "PROJ-1234, POS-E31, ADJ-2026-0217", ["PROJ-1234", "POS-E31", "ADJ-2026-0217"], id="keys"
        ),
        pytest.param("commit 3fa9c21", ["3fa9c21"], id="hash"),
        pytest.param(
            "550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"], id="uuid"
        ),
        pytest.param("KeyError", ["KeyError"], id="exception"),
    ],
)
def test_symbols_are_found(text: str, symbols: list[str]) -> None:
    assert find_symbols(text) == tuple(symbols)


@pytest.mark.parametrize(
    "text",
    [
        *("How", "Let me", "Find", "Add", "Postgres", "ENV", "EXPORT", "SQL", "SELECT", "LGBTQ", "long-term", "re-index"),
        *("utf8mb4", "k8s", "SHA256", "JavaScript", "GitHub", "PhD", "IDs", "_emphasis_", "__", "1_000", "$100", "100%_x"),
        *("src/my_file.py", "https://x.org/a_b", "a_b.c_d", "--dry_run", "ORA-00942", "SQLITE_BUSY", "decade", "1234567"),
    ],
)  # fmt: skip
def test_prose_and_other_literals_are_no_symbols(text: str) -> None:
    assert find_symbols(text) == ()


def test_a_short_flag_is_one_hyphen_and_few_characters() -> None:
    assert [is_short_flag(flag) for flag in ("-r", "-rf", "-", "--rf", "-crake1")] == [
        True,
        True,
        False,
        False,
        False,
    ]
