"""A request to its descriptor: what is searched, as what, in which order, and how much of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from uncompact.query.descriptor import MAX_EXACT_IDENTIFIERS, MAX_TERMS, Term, describe


def texts(request: str, kind: str) -> list[str]:
    return [term.text for term in describe(request).terms if term.kind == kind]


def test_terms_are_identifiers_then_phrases_then_technologies_then_keywords() -> None:
    described = describe('why does git lose the "crake mode" of `pool` in src/a.py?')

    assert described.terms == (
        Term("pool", "identifier"),
        Term("src/a.py", "identifier"),
        Term("crake mode", "phrase"),
        Term("git", "technology"),
        Term("lose", "keyword"),
        Term("crake", "keyword"),
        Term("mode", "keyword"),
    )


def test_each_category_is_told_apart() -> None:
    described = describe("`x y` “a phrase” a.py b.c.d --flag snake_case E0277 redis pool")

    assert described.backticked == ("x y",)
    assert described.phrases == ("a phrase",)
    assert described.files == ("a.py",)
    assert described.qualified == ("b.c.d",)
    assert described.flags == ("--flag",)
    assert described.symbols == ("snake_case",)
    assert described.errors == ("E0277",)
    assert described.technologies == ("redis",)
    assert described.keywords == ("phrase", "redis", "pool")
    assert described.exact_identifiers == ("x y", "E0277", "b.c.d", "snake_case", "--flag", "a.py")
    assert described.entities == ("redis", "x y", "E0277", "b.c.d", "snake_case", "--flag", "a.py")


@pytest.mark.parametrize(
    "request_text",
    [
        *("posso", "solo senza problema", "without a problem", "tutte una volta", "ok, continue please", "do it"),
        *("sì grazie, vai avanti", "fatto?", "I don't think that's right", "Ok perfetto, procedi!", "SÌ", "What?"),
        *("", "   ", "\n\t", "???", "...", "…", "—", '""', "``", '"" ``', "(*)", "---", "::", "\u200b", "\0", "\ufeff"),
        *("🚀", "a b c", "42", "a" * 1000, "\ud800"),
    ],
)  # fmt: skip
def test_a_request_without_a_topic_has_no_terms(request_text: str) -> None:
    described = describe(request_text)

    assert described.terms == ()
    assert not described.has_topic


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("dove usiamo `solo`?", id="backticked"),
        pytest.param("“senza solo”", id="quoted"),
        pytest.param("solo.tutte", id="qualified"),
        pytest.param("--without", id="flag"),
        pytest.param("without/problem/solo", id="path"),
    ],
)
def test_explicit_literals_pass_although_they_are_stopwords(request_text: str) -> None:
    assert describe(request_text).has_topic


@pytest.mark.parametrize("word", ["How", "Let", "Find", "Add", "Postgres", "ENV", "EXPORT"])
def test_a_capitalised_word_is_no_identifier(word: str) -> None:
    assert describe(f"{word} the pool limit").exact_identifiers == ()


def test_the_first_letters_case_changes_no_term() -> None:
    lower, upper = describe("how big is the pool?"), describe("How big is the pool?")

    assert lower.terms == upper.terms == (Term("big", "keyword"), Term("pool", "keyword"))


def test_identifiers_that_differ_in_case_are_two_and_keywords_one() -> None:
    described = describe("`Pool` `pool` Cache cache")

    assert described.terms == (
        Term("Pool", "identifier"),
        Term("pool", "identifier"),
        Term("Cache", "keyword"),
    )


def test_words_of_an_identifier_are_no_keywords() -> None:
    assert (
        describe("`retry-limit` src/pool/main.rs cache_key https://x.org/pool C:\\lock\\a.rs").keywords == ()
    )


def test_words_of_a_phrase_and_of_a_command_are_keywords() -> None:
    assert texts('"pool size" and `cargo build`', "keyword") == ["pool", "size", "build"]


def test_words_between_slashes_are_a_path_and_keywords() -> None:
    described = describe("deploy dev/test/prod")

    assert described.files == ("dev/test/prod",)
    assert described.keywords == ("deploy", "dev", "test", "prod")


def test_a_quoted_path_is_a_file_and_no_phrase() -> None:
    described = describe('"/home/u/My Projects/api v2/handler.py"')

    assert described.terms == (Term("/home/u/My Projects/api v2/handler.py", "identifier"),)


def test_a_backticked_name_belongs_to_its_category_too() -> None:
    described = describe("`parseConfig()` `src/a.py:42` `ENOENT` `-rf`")

    assert described.symbols == ("parseConfig",)
    assert described.files == ("src/a.py",)
    assert described.errors == ("ENOENT",)
    assert described.flags == ("-rf",)


def test_exception_classes_are_errors_and_symbols() -> None:
    described = describe("a ModuleNotFoundError and E0277")

    assert described.errors == ("E0277", "ModuleNotFoundError")
    assert described.symbols == ("ModuleNotFoundError",)


def test_a_name_touching_another_script_is_found() -> None:
    assert texts("已经重跑gen_plan后", "identifier") == ["gen_plan"]


def test_literals_are_as_written() -> None:
    request = "`Caffe\u0300` e «perche\u0301 no»"

    assert [term.text for term in describe(request).terms[:2]] == ["Caffe\u0300", "perche\u0301 no"]


def test_the_objective_is_the_beginning() -> None:
    assert describe("ab" * 300).objective == "ab" * 250


def test_half_a_surrogate_pair_is_not_handed_on() -> None:
    described = describe("a\ud800b `c\ud800d` pool")

    assert described.objective == "a\ufffdb `c\ufffdd` pool"
    assert described.terms == (Term("pool", "keyword"),)


def test_too_many_terms_are_cut_and_counted() -> None:
    described = describe(" ".join(f"word{number}" for number in range(100)))

    assert len(described.terms) == 20
    assert described.omitted_terms == 80


def test_nothing_is_omitted_from_a_short_request() -> None:
    assert describe("the `pool` cache").omitted_terms == 0


def test_literals_leave_room_for_words_and_phrases() -> None:
    names = " ".join(f"name_{number}" for number in range(50))
    phrases = " ".join(f'"phrase number {number}"' for number in range(6))

    terms = describe(
        f"{names} {phrases} why is the pool slow when osprey cache locks hold both ledger rows?"
    ).terms

    kinds = [term.kind for term in terms]
    assert len(terms) == MAX_TERMS
    assert (kinds.count("identifier"), kinds.count("phrase"), kinds.count("keyword")) == (12, 4, 8)


def test_backticked_names_outlive_the_cap_before_files() -> None:
    files = " ".join(f"src/file_{number}.py" for number in range(40))

    described = describe(f"{files} and `the needle`")

    assert len(described.exact_identifiers) == MAX_EXACT_IDENTIFIERS
    assert described.exact_identifiers[:2] == ("the needle", "src/file_0.py")


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("what about `needle`?\n" + "log line\n" * 12_000, id="before"),
        pytest.param("log line\n" * 12_000 + "\nwhat about `needle`?", id="after"),
        pytest.param(
            "log line\n" * 2_000 + "`needle`\n" + "log line\n" * 10_000, id="within the first 20,000"
        ),
    ],
)
def test_a_name_is_found_beside_a_long_paste(request_text: str) -> None:
    assert describe(request_text).terms[0] == Term("needle", "identifier")


def test_words_after_a_long_paste_come_before_its_middle() -> None:
    paste = "\n".join(f"line{number} of{number} paste{number}" for number in range(5_000))

    described = describe(f"pool question\n{paste}\nwhy is osprey slow?")

    assert describe(paste).keywords != described.keywords
    assert described.keywords[0] == "pool"


@pytest.mark.usefixtures("time_limit")
@pytest.mark.parametrize(
    "unit",
    [
        *("a", "a.", "a/", "a\\", "`", "`a", "'", " 'a", '"', "“", "‘’a", "«", "[", "[a", "a@", "@a/", "a::", "--a", "$a"),
        *("/", "_", "0", "1.", "http://", "A_", "ERR_", "error[", "exit code ", "缓", "缓a", "e\u0301", "\0", "\ud800", "🚀"),
    ],
)  # fmt: skip
def test_a_long_run_of_anything_does_not_hang(unit: str) -> None:
    assert len(describe(unit * (102_400 // len(unit))).terms) <= MAX_TERMS


def test_describing_loads_no_engine() -> None:
    probe = (
        "import sys, uncompact.query.descriptor; print({'duckdb', 'polars', 'pyarrow'} & set(sys.modules))"
    )

    finished = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert finished.stdout == "set()\n"


def test_a_descriptor_is_plain_values() -> None:
    assert describe("the `pool` cache").to_dict() == {
        "objective": "the `pool` cache",
        "backticked": ["pool"],
        "phrases": [],
        "files": [],
        "qualified": [],
        "flags": [],
        "symbols": [],
        "errors": [],
        "technologies": [],
        "keywords": ["cache"],
        "exact_identifiers": ["pool"],
        "entities": ["pool"],
        "terms": [{"text": "pool", "kind": "identifier"}, {"text": "cache", "kind": "keyword"}],
        "omitted_terms": 0,
        "has_topic": True,
    }
