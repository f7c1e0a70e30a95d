"""What `import uncompact` gives: names that resolve, with types, used as a program would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import compacted, header, user, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(
        tmp_path / "logs" / "s.jsonl",
        [header(), user("u1", None, "We settled on `maxPool` 37."), *compacted("u1")],
    )


@pytest.mark.parametrize("name", uncompact.__all__)
def test_a_public_name_resolves_and_is_documented(name: str) -> None:
    assert getattr(uncompact, name).__doc__


def test_every_public_name_has_a_home() -> None:
    for name in uncompact.__all__:
        assert getattr(uncompact, name).__module__.startswith(("uncompact.pipelines.", "uncompact.query."))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = uncompact.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


@pytest.mark.parametrize("name", [name for name in uncompact.__all__ if name.endswith("Error")])
def test_every_error_is_one_of_ours(name: str) -> None:
    assert issubclass(getattr(uncompact, name), uncompact.UncompactError)


def test_importing_the_package_imports_no_engine() -> None:
    program = (
        "import sys, uncompact; print(sorted({'duckdb', 'polars', 'pyarrow', 'apsw'} & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout

    assert printed == "[]\n"


def test_a_log_is_indexed_and_asked(log: Path, store: Path) -> None:
    report: uncompact.RunReport = uncompact.reindex([log.parent], store=store)
    with uncompact.open_store(store) as opened:
        answer: uncompact.Retrieval = opened.retrieve(log, "which maxPool?", max_results=3)
    (hit,) = answer.hits

    assert report.to_dict()["entries"] == {"added": 5, "total": 5}
    assert (answer.status, hit.excerpt, hit.matched) == (
        "complete",
        "We settled on `maxPool` 37.",
        ("maxPool",),
    )


def test_an_answer_has_the_documented_names(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store=store)
    with uncompact.open_store(store) as opened:
        answer: dict[str, Any] = opened.retrieve(log, "which maxPool?").to_dict()

    assert set(answer) >= {
        "status", "reason", "session", "leaf", "descriptor", "hits", "counts", "tokens", "timings_ms", "warnings",
    }  # fmt: skip
    assert set(answer["hits"][0]) >= {
        "entry_id", "session", "role", "created_at", "tier", "score", "components", "matched", "excerpt", "tokens",
        "message",
    }  # fmt: skip
    assert set(answer["hits"][0]["message"]) == {"role", "content"}


def test_sessions_have_the_documented_names(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store=store)
    with uncompact.open_store(store) as opened:
        (session,) = opened.sessions()

    assert set(session) >= {"session", "path", "project", "entries", "branches", "compactions", "state"}


def test_errors_say_what_would_work(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store=store)
    with uncompact.open_store(store) as opened, pytest.raises(uncompact.UncompactError) as caught:
        opened.retrieve("zz", "maxPool")

    assert caught.value.hint == "`uncompact sessions` lists them"
