"""Choosing what to forget: every kind of name, what several kinds have in common, and what there is when none fits."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from uncompact.pipelines.errors import NotFoundError
from uncompact.pipelines.forget_selection import Selection, SelectionError, select_sessions

DAY = 86_400_000_000
# 2026-03-01T00:00:00Z
MARCH = 1_772_323_200_000_000


def row(key: str, session_id: str, project: str = "/srv/one", last_at: int | None = MARCH) -> dict[str, Any]:
    return {
        "session_key": key,
        "session_id": session_id,
        "path": f"/logs/{key}.jsonl",
        "project": project,
        "last_at": last_at,
    }


ROWS = [
    row("aaaa1111", "id-one", last_at=MARCH - DAY),
    row("aaaa2222", "id-two", "/srv/two"),
    row("bbbb1111", "id-three", last_at=None),
    row("cccc1111", "id-copied", last_at=MARCH + DAY),
    row("cccc2222", "id-copied", "/srv/two", MARCH - 2 * DAY),
]


def chosen(*sessions: str | Path, **kinds: Any) -> list[str]:
    return [one["session_key"] for one in select_sessions(ROWS, Selection.of(sessions, **kinds))]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        pytest.param("aaaa1111", ["aaaa1111"], id="key"),
        pytest.param("id-one", ["aaaa1111"], id="id"),
        pytest.param("/logs/bbbb1111.jsonl", ["bbbb1111"], id="path"),
        pytest.param("id-copied", ["cccc1111", "cccc2222"], id="id that two logs have"),
        pytest.param("/logs/cccc2222.jsonl", ["cccc2222"], id="path of one of them"),
        pytest.param("bbbb", ["bbbb1111"], id="beginning of a key"),
        pytest.param("id-th", ["bbbb1111"], id="beginning of an id"),
        pytest.param("id-cop", ["cccc1111", "cccc2222"], id="beginning of one id that two logs have"),
    ],
)
def test_a_session_is_named_by(name: str, keys: list[str]) -> None:
    assert chosen(name) == keys


@pytest.mark.parametrize("name", ["aaaa", "id-t"], ids=["keys", "ids"])
def test_a_beginning_that_several_sessions_have_is_no_name(name: str) -> None:
    with pytest.raises(NotFoundError, match="no single session") as caught:
        chosen(name)

    assert caught.value.hint == "several sessions begin with this: name one in full"


@pytest.mark.parametrize("name", ["id-nobody", "bbb", ""], ids=["unknown", "too short", "empty"])
def test_an_unknown_name_says_what_there_is_the_oldest_first(name: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        chosen("id-one", name)

    assert caught.value.existing == [
        "id-copied (last written 2026-02-27T00:00:00.000Z)",
        "id-one (last written 2026-02-28T00:00:00.000Z)",
        "id-two (last written 2026-03-01T00:00:00.000Z)",
        "id-copied (last written 2026-03-02T00:00:00.000Z)",
        "id-three (no time)",
    ]


def test_a_project_is_its_exact_folder() -> None:
    assert chosen(project="/srv/two") == ["aaaa2222", "cccc2222"]
    with pytest.raises(NotFoundError, match="no project '/srv'; there is: /srv/one, /srv/two"):
        chosen(project="/srv")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("2026-03-01", id="date"),
        pytest.param("2026-03-01T00:00:00", id="time without a zone"),
        pytest.param("2026-03-01T01:00:00+01:00", id="time in a zone"),
        pytest.param(date(2026, 3, 1), id="date object"),
        pytest.param(datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=1))), id="time object"),
        pytest.param(datetime(2026, 3, 1, tzinfo=UTC), id="time object in UTC"),
    ],
)
def test_before_a_date_are_those_last_written_earlier(before: Any) -> None:
    assert chosen(before=before) == ["aaaa1111", "cccc2222"]


def test_of_several_kinds_those_count_that_all_choose() -> None:
    assert chosen("id-copied", "id-one", project="/srv/one", before="2026-03-01") == ["aaaa1111"]


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(NotFoundError) as caught:
        chosen("id-two", project="/srv/one", before="2026-03-01")

    assert caught.value.message.startswith(
        "no session 'id-two, in project /srv/one, last written before 2026-03-01T00:00:00.000Z'; there is: "
    )


@pytest.mark.parametrize("before", ["yesterday", "2026-13-01", "1969-01-01", ""])
def test_what_is_no_date_is_refused(before: str) -> None:
    with pytest.raises(SelectionError, match="is no date or time from 1970 on"):
        Selection.of(before=before)


def test_nothing_named_is_refused() -> None:
    with pytest.raises(SelectionError, match="nothing is named to forget"):
        Selection.of()


def test_a_relative_path_names_the_log_at_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    rows = [{**row("dddd1111", "id-four"), "path": str(tmp_path / "a.jsonl")}]

    assert select_sessions(rows, Selection.of(["a.jsonl"])) == rows
