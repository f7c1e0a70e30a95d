"""The command line: results on stdout, each with its JSON, and text that cannot steer a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.builders import IndexedLogs, entry, header, index_lines, user, write_log
from uncompact.query import limits
from uncompact.query.cli import cli

from .cli_runs import LOG, SESSION_ID, ask, run

COMMANDS = [
    "demo", "doctor", "forget", "reindex", "retrieve", "runs", "schedule", "sessions", "show", "status", "sync", "watch",
]  # fmt: skip


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    return index_lines(LOG, tmp_path_factory.mktemp("logs"))


def test_retrieve_prints_the_answer_as_json(logs: IndexedLogs) -> None:
    answer = json.loads(ask(logs, "--json", "what is `pool_max_size`?").stdout)

    assert (answer["status"], [hit["entry_id"] for hit in answer["hits"]]) == ("complete", ["a1", "a2"])


def test_retrieve_json_has_the_promised_names(logs: IndexedLogs) -> None:
    answer = json.loads(ask(logs, "--json", "what is `pool_max_size`?").stdout)

    assert set(answer) >= {
        "status", "reason", "session", "leaf", "descriptor", "hits", "counts", "tokens", "timings_ms", "warnings",
    }  # fmt: skip
    assert set(answer["hits"][0]) >= {
        "entry_id", "session", "role", "created_at", "tier", "score", "components", "matched", "excerpt",
        "tokens", "message",
    }  # fmt: skip
    assert set(answer["hits"][0]["message"]) == {"role", "content"}


def test_retrieve_finds_the_session_by_its_id(logs: IndexedLogs) -> None:
    result = run(
        "--store", str(logs.store), "retrieve", "--session", SESSION_ID, "--json", "what is `pool_max_size`?"
    )

    assert len(json.loads(result.stdout)["hits"]) == 2


def test_retrieve_shows_each_hit_to_a_person(logs: IndexedLogs) -> None:
    text = ask(logs, "--max-results", "1", "what is `pool_max_size`?").stdout

    assert text.startswith("1. a1  user  2026-03-14 09:01:00Z  literal-identifier  score ")
    assert "   | Set `pool_max_size` to 24: the database allows 30.\n" in text
    assert "1 entry, about " in text


def test_explain_shows_what_a_score_is_made_of(logs: IndexedLogs) -> None:
    text = ask(logs, "--explain", "what is `pool_max_size`?").stdout

    lines = text.splitlines()
    assert [line.split()[0] for line in lines[3:7]] == ["component", "exact", "phrase", "fts"]
    assert lines[15].split() == ["term", "as", "rarity", "times", "where"]
    assert "pool_max_size  literal identifier" in lines[16]
    assert lines[16].endswith("1  1:6 pool_max_size")


def test_explained_answers_say_in_json_where_terms_stand(logs: IndexedLogs) -> None:
    plain, explained = (
        json.loads(ask(logs, *options, "--json", "what is `pool_max_size`?").stdout)["hits"][0]
        for options in ([], ["--explain"])
    )

    assert explained.pop("matches")[0]["places"] == [{"line": 1, "column": 6, "text": "pool_max_size"}]
    assert plain == explained


def test_nothing_found_says_why(logs: IndexedLogs) -> None:
    text = ask(logs, "which `frobnicator` is it?").stdout

    assert text.startswith("Nothing (no-hits): nothing on this branch matches")


def test_request_comes_from_standard_input(logs: IndexedLogs) -> None:
    answer = json.loads(ask(logs, "--json", "-", stdin="what is `pool_max_size`?\n").stdout)

    assert len(answer["hits"]) == 2


def test_request_after_two_dashes_may_begin_with_one(logs: IndexedLogs) -> None:
    assert json.loads(ask(logs, "--json", "--", "--pool_max_size").stdout)["status"] != "failed"


@pytest.mark.parametrize("request_text", ["", " \n", "ok, go on"], ids=["empty", "blank", "no topic"])
def test_request_without_topic_is_no_error(logs: IndexedLogs, request_text: str) -> None:
    result = ask(logs, "--json", request_text)

    assert (result.exit_code, json.loads(result.stdout)["status"]) == (0, "no-query")


@pytest.mark.parametrize("content", ['["a1", "b0000001"]', "a1\nb0000001\n"], ids=["json", "lines"])
def test_entries_named_as_in_context_are_no_evidence(logs: IndexedLogs, tmp_path: Path, content: str) -> None:
    (tmp_path / "ids").write_text(content)
    answer = json.loads(
        ask(logs, "--json", "--context-ids", str(tmp_path / "ids"), "`pool_max_size`?").stdout
    )

    assert [hit["entry_id"] for hit in answer["hits"]] == ["a2"]


def test_context_ids_come_from_standard_input(logs: IndexedLogs) -> None:
    answer = json.loads(ask(logs, "--json", "--context-ids", "-", "`pool_max_size`?", stdin="a2").stdout)

    assert [hit["entry_id"] for hit in answer["hits"]] == ["a1"]


def test_sessions_json_has_the_promised_names(logs: IndexedLogs) -> None:
    (session,) = json.loads(run("--store", str(logs.store), "sessions", "--json").stdout)

    assert set(session) >= {"session", "path", "project", "entries", "branches", "compactions", "state"}


def test_sessions_are_a_table(logs: IndexedLogs) -> None:
    _, row = run("--store", str(logs.store), "sessions").stdout.splitlines()

    assert row.split()[1:] == ["2026-03-14", "09:53:00Z", "/home/ada/harbour", "6", "1", "1", "present"]


def test_show_json_has_the_promised_names(logs: IndexedLogs) -> None:
    shown = json.loads(run("--store", str(logs.store), "show", SESSION_ID, "--json").stdout)

    assert set(shown) >= {"session", "leaf", "leaves", "entries"}
    assert set(shown["entries"][0]) >= {
        "entry_id", "parent_id", "type", "role", "created_at", "state", "text_chars",
    }  # fmt: skip


def test_show_lists_entries_and_states(logs: IndexedLogs) -> None:
    lines = run("--store", str(logs.store), "show", SESSION_ID).stdout.splitlines()

    assert [line.split()[1:4] for line in lines[1:4]] == [
        ["a1", "compacted", "user"],
        ["a2", "compacted", "assistant"],
        ["b0000001", "in_context", "user"],
    ]


def test_tree_has_a_line_for_each_run(tmp_path: Path) -> None:
    logs = index_lines([*LOG, user("e1", "a1", "Another way")], tmp_path)

    assert run(
        "--store", str(logs.store), "show", SESSION_ID, "--tree", "--leaf", "d0000001"
    ).stdout.splitlines()[1:] == [
        "+ compacted   a1                    user",
        "  + sibling     e1                    user  <- leaf",
        "| compacted   a2                    assistant",
        "| in_context  b0000001 .. b0000002  user, assistant",
        "| in_context  c0000001              compaction",
        "| in_context  d0000001              user  <- leaf, shown here",
    ]


def test_status_describes_the_store(logs: IndexedLogs) -> None:
    status = json.loads(run("--store", str(logs.store), "status", "--json").stdout)

    assert (status["store"], status["sessions"], status["entries"], status["rejects"]) == (
        str(logs.store),
        {"present": 1, "vanished": 0},
        6,
        0,
    )
    assert min(status["lake"]["bytes"], status["companion"]["bytes"]) > 1000


def test_reindex_reports_what_it_did(tmp_path: Path) -> None:
    log = write_log(tmp_path / "s.jsonl", LOG)
    result = run("reindex", str(log), "--store", str(tmp_path / "store"))

    assert result.stdout.splitlines()[:2] == [
        "1 log seen: 1 changed, 0 unchanged, 0 vanished, 0 failed",
        "6 entries added, 6 in the store",
    ]


def test_reindex_json_has_the_promised_names(tmp_path: Path) -> None:
    write_log(tmp_path / "logs" / "s.jsonl", LOG)
    store = str(tmp_path / "store")
    report = json.loads(run("--store", store, "reindex", str(tmp_path / "logs"), "--json").stdout)

    assert set(report) >= {
        "sources", "entries", "rejects", "bytes_read", "seconds", "peak_rss_mb", "warnings",
    }  # fmt: skip


def test_reindex_warns_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text('{"hello": 1}\n')
    result = run("--store", str(tmp_path / "store"), "reindex", str(tmp_path))

    assert result.stderr.splitlines() == [
        f"Warning: {tmp_path}/odd.jsonl: not a session log: no known header"
    ]


def test_control_characters_of_a_log_are_shown_not_sent(logs: IndexedLogs) -> None:
    text = ask(logs, "what is `pool_max_size`?").stdout

    assert "   | Done: \\x1b[31m pool_max_size \\x1b[0m is 24 now.\\x9b2J\n" in text
    assert not set(text) & {"\x1b", "\x9b"}


def test_json_escapes_control_characters_too(logs: IndexedLogs) -> None:
    text = ask(logs, "--json", "what is `pool_max_size`?").stdout

    assert "\\u009b2J" in text
    assert not set(text) & {"\x1b", "\x9b"}


def test_names_in_a_table_stay_on_their_line(tmp_path: Path) -> None:
    named = entry("session_info", "a2", "a1", name="two\nlines\x1b[2J")
    logs = index_lines([header(), user("a1", None, "Hello"), named], tmp_path)

    assert (
        run("--store", str(logs.store), "sessions")
        .stdout.splitlines()[1]
        .endswith("present  two\\nlines\\x1b[2J")
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    assert f"Example:\n    uncompact {command}" in run(command, "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_json(command: str) -> None:
    names = [option for parameter in cli.commands[command].params for option in parameter.opts]

    assert "--json" in names


def test_all_commands_are_listed() -> None:
    assert sorted(cli.commands) == COMMANDS


def test_limits_have_the_defaults_of_the_library() -> None:
    defaults = {parameter.name: parameter.default for parameter in cli.commands["retrieve"].params}

    assert defaults["max_results"] == limits.MAX_RESULTS
    assert defaults["max_tokens"] == limits.MAX_RETRIEVED_HISTORY_TOKENS


def test_no_command_prints_the_help() -> None:
    result = run()

    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "Usage: cli [OPTIONS] [COMMAND] [ARGS]...",
    )
