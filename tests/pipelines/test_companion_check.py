"""A damaged companion is noticed: by the next run, which builds it anew, by who checks it, and by who asks it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import assistant, compacted, header, tool_result, user, write_log
from tests.pipelines.companion_rows import Row, companion_rows
from tests.pipelines.damages import DAMAGES, HIDDEN_DAMAGES, Damage, changed, overwritten
from tests.pipelines.stores import append, run
from uncompact.pipelines.companion_check import check_companion
from uncompact.pipelines.companion_db import connect_reader, connect_writer
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.findings import Finding
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths
from uncompact.pipelines.sync import sync_log

SESSION = "0195a000-0000-7000-8000-000000000001"
REQUEST = "What did we say of the `keel` and of harbour 17?"

every_damage = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with logs, a store of them, and a copy of that store."""
    folder = tmp_path_factory.mktemp("whole")
    write_log(folder / "logs" / "s.jsonl", talk(SESSION, 160))
    write_log(folder / "logs" / "t.jsonl", talk("other", 40))
    run(folder / "logs", folder / "store")
    shutil.copytree(folder / "store", folder / "copy")
    return folder


@pytest.fixture
def root(whole: Path) -> Path:
    """The folder as it was, whatever the test before did to it."""
    shutil.rmtree(whole / "store")
    shutil.copytree(whole / "copy", whole / "store")
    (whole / "logs" / "new.jsonl").unlink(missing_ok=True)
    write_log(whole / "logs" / "t.jsonl", talk("other", 40))
    return whole


def talk(session: str, turns: int) -> list[dict[str, object]]:
    """Make a log with a fork, tool results and enough passages to train a dictionary."""
    lines = [header(session), user("u0", None, "The keel is oak.")]
    for turn in range(1, turns):
        said = f"harbour {turn}: " + " ".join(f"word{turn * 7 % 90 + at}" for at in range(60))
        parent = f"u{turn - 1}"
        make = (user, assistant, tool_result)[turn % 3]
        lines.append(make(f"u{turn}", parent, said))
    lines.append(assistant("fork", "u5", "another way"))
    return [*lines, *compacted(f"u{turns - 1}")]


def paths(root: Path) -> StorePaths:
    return StorePaths(root / "store")


def rows_of(root: Path) -> dict[tuple[str, str], list[Row]]:
    """Return the companion's rows without what it says of the logs' files."""
    found = companion_rows(paths(root).companion)
    return {(key, table): rows for (key, table), rows in found.items() if table != "sessions"}


def check(root: Path, *, deep: bool = False) -> list[Finding]:
    return check_companion(open_lake(paths(root).lake), paths(root), deep=deep)


@pytest.mark.parametrize("deep", [False, True], ids=["cheap", "deep"])
def test_nothing_is_found_in_a_whole_companion(root: Path, deep: bool) -> None:
    run(root / "logs", root / "store")

    assert check(root, deep=deep) == []


def test_a_companion_loaded_step_by_step_is_whole(root: Path) -> None:
    log = root / "logs" / "t.jsonl"
    for turn in range(3):
        write_log(log, [*talk("other", 40), *[user(f"x{at}", "u3", f"more {at}") for at in range(turn)]])
        run(root / "logs", root / "store")
    write_log(log, talk("other", 30))
    run(root / "logs", root / "store")

    assert check(root, deep=True) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("La mare\u0301e monte", id="decomposed accent"),
        pytest.param("keel\ue0b0oak", id="private character"),
        pytest.param("keel\u061coak", id="character younger than the tokenizer"),
        pytest.param("keel⚓oak 龙骨oak", id="symbol and script without spaces"),
    ],
)
def test_words_beside_other_characters_are_no_damage(logs: Path, store: Path, text: str) -> None:
    log = write_log(logs / "s.jsonl", [header(), user("a", None, text), *compacted("a")])
    run(logs, store)

    assert check_companion(open_lake(StorePaths(store).lake), StorePaths(store), deep=True) == []
    with uncompact.open_store(store) as opened:
        assert opened.retrieve(log, "keel marée oak").status in ("complete", "no-hits")


def test_a_synced_session_is_no_damage(root: Path) -> None:
    write_log(root / "logs" / "t.jsonl", [*talk("other", 40), user("x", "u3", "and the mast?")])
    new = write_log(root / "logs" / "new.jsonl", talk("new", 4))
    sync_log(root / "store", root / "logs" / "t.jsonl")
    sync_log(root / "store", new)

    assert check(root, deep=True) == []


@every_damage
def test_a_run_builds_a_damaged_companion_anew(root: Path, damage: Damage) -> None:
    expected = rows_of(root)
    damage(paths(root).companion)

    run(root / "logs", root / "store")

    assert rows_of(root) == expected
    assert check(root, deep=True) == []


@pytest.mark.parametrize(
    "damage", ["cut in half", "blocks overwritten", "word index cut", "no segments", "lost a session", "gone"]
)
def test_a_run_with_changes_builds_a_damaged_companion_anew(root: Path, damage: str) -> None:
    DAMAGES[damage](paths(root).companion)
    write_log(root / "logs" / "t.jsonl", [*talk("other", 40), user("x", "u3", "and the mast?")])

    run(root / "logs", root / "store")

    assert check(root, deep=True) == []


@pytest.mark.parametrize("seed", range(12))
def test_a_run_notices_a_block_that_something_else_wrote(root: Path, seed: int) -> None:
    expected = rows_of(root)
    overwritten(seed, blocks=1)(paths(root).companion)

    run(root / "logs", root / "store")

    assert rows_of(root) == expected


@every_damage
def test_a_check_finds_damage_and_says_what_mends_it(root: Path, damage: Damage) -> None:
    damage(paths(root).companion)

    found = check(root)

    assert found
    assert all("companion" in finding.place and "uncompact reindex" in finding.repair for finding in found)


@every_damage
def test_a_damaged_companion_never_answers_with_nothing(root: Path, damage: Damage) -> None:
    expected = answer(root)
    damage(paths(root).companion)

    assert answer(root) in (expected, "failed", "store", "not-found")


def answer(root: Path) -> str | list[str]:
    """Return the excerpts found, or the kind of failure; every failure says what mends it."""
    try:
        with uncompact.open_store(root / "store") as store:
            found = store.retrieve(SESSION, REQUEST)
    except uncompact.UncompactError as error:
        return error.kind if "uncompact " in error.hint else "without a hint"
    if found.status == "failed":
        return "failed" if "uncompact reindex" in (found.reason or "") else "without a hint"
    return [hit.excerpt for hit in found.hits]


@every_damage
def test_whatever_is_asked_of_a_damaged_companion_ends_in_no_traceback(root: Path, damage: Damage) -> None:
    damage(paths(root).companion)

    asked: list[Callable[[uncompact.HistoryStore], object]] = [
        lambda store: store.sessions(),
        lambda store: store.session(SESSION),
        lambda store: store.show(SESSION),
        lambda store: store.status(),
    ]
    for ask in asked:
        with suppress(uncompact.UncompactError), uncompact.open_store(root / "store") as store:
            ask(store)


@pytest.mark.parametrize(("damage", "problem"), HIDDEN_DAMAGES.values(), ids=HIDDEN_DAMAGES)
def test_only_a_comparison_with_the_lake_finds_what_looks_whole(
    root: Path, damage: Damage, problem: str
) -> None:
    damage(paths(root).companion)

    assert check(root) == []
    assert problem in {finding.problem for finding in check(root, deep=True)}


def test_a_difference_is_named_by_its_session_and_a_rebuild_mends_it(root: Path) -> None:
    with uncompact.open_store(root / "store") as store:
        key = store.session("other").session_key
    changed(
        "update entries set label = 'read x.py' "
        "where session = (select number from sessions where session_id = 'other')"
    )(paths(root).companion)

    assert {finding.place for finding in check(root, deep=True)} == {f"session {key}"}
    uncompact.reindex([root / "logs"], store=root / "store", rebuild_companion=True)
    assert check(root, deep=True) == []


def test_a_check_changes_nothing(root: Path) -> None:
    write_log(root / "logs" / "t.jsonl", [*talk("other", 40), user("x", "u3", "and the mast?")])
    with closing(connect_reader(paths(root).companion)):
        sync_log(root / "store", root / "logs" / "t.jsonl")
        before = contents(root / "store")

        check(root, deep=True)

        assert contents(root / "store") == before


def contents(folder: Path) -> dict[Path, bytes]:
    """Map files to what they hold, but for the memory that readers share."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".sqlite-shm")
    return {path: path.read_bytes() for path in files}


def test_a_companion_behind_its_lake_is_found(root: Path) -> None:
    before = paths(root).companion.read_bytes()
    write_log(root / "logs" / "t.jsonl", talk("other", 30))
    run(root / "logs", root / "store")
    paths(root).companion.write_bytes(before)

    assert [finding.problem for finding in check(root)] == ["was loaded from another state of the lake"]


def test_a_store_without_a_companion_is_a_finding(tmp_path: Path) -> None:
    found = check_companion(None, StorePaths(tmp_path))

    assert [(finding.place, finding.problem) for finding in found] == [
        (str(tmp_path / "companion"), "no companion here")
    ]


def test_a_lost_write_ahead_log_is_noticed(root: Path) -> None:
    log = root / "logs" / "t.jsonl"
    with closing(connect_reader(paths(root).companion)):
        append(
            log, b'{"type":"message","id":"x","parentId":"u3","message":{"role":"user","content":"mast"}}\n'
        )
        run(root / "logs", root / "store")
        with closing(connect_writer(paths(root).companion)) as connection:
            execute(connection, "update sessions set name = 'lost'")
            beside = paths(root).companion.with_name(f"{paths(root).companion.name}-wal")
            assert beside.stat().st_size > 0
            beside.unlink()

    run(root / "logs", root / "store")

    assert check(root, deep=True) == []


def test_a_damaged_companion_is_none_for_a_sync(root: Path) -> None:
    DAMAGES["word index emptied"](paths(root).companion)
    write_log(root / "logs" / "t.jsonl", [*talk("other", 40), user("x", "u3", "and the mast?")])

    with pytest.raises(StoreError, match="damaged companion"):
        sync_log(root / "store", root / "logs" / "t.jsonl")


def test_findings_are_plain_values() -> None:
    finding = Finding("session a", "has other texts than the lake", "`uncompact reindex --rebuild-companion`")

    assert finding.to_dict() == {
        "place": "session a",
        "problem": "has other texts than the lake",
        "repair": "`uncompact reindex --rebuild-companion`",
    }
    assert str(finding).startswith("session a: has other texts than the lake (to mend it: ")
