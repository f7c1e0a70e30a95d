"""Every benchmark runs on tiny data, so that none can rot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The figures of the companion's schema trial on 60 entries."""
    written = tmp_path_factory.mktemp("trial") / "figures.json"
    command = [sys.executable, "companion_trial.py", "--entries", "60", "--json", str(written)]
    subprocess.run(command, cwd=_BENCHMARKS, check=True, capture_output=True)
    figures: list[dict[str, object]] = json.loads(written.read_text(encoding="utf-8"))
    return figures


def test_companion_trial_measures_every_section(trial: list[dict[str, object]]) -> None:
    sections = {figure["section"] for figure in trial}

    assert sections == {"build", "look-up", "fetch", "texts", "writes"}


def test_companion_trial_finds_words_again_after_delete_and_insert(trial: list[dict[str, object]]) -> None:
    writes = {figure["name"]: figure["figure"] for figure in trial if figure["section"] == "writes"}

    assert writes["their postings of `the`, deleted"] == 0
    assert writes["their postings of `the`, again"] == writes["their passages with `the`"] != 0


def quality(*arguments: str | Path) -> dict[str, list[dict[str, object]]]:
    """Run parts of the quality benchmark; returns each table's rows by its title, its notes as the last row."""
    written = Path(arguments[0])
    command = [sys.executable, "quality/run.py", "--no-times", "--json", *arguments]
    subprocess.run(command, cwd=_BENCHMARKS, check=True, capture_output=True)
    tables = json.loads(written.read_text(encoding="utf-8"))
    return {table["title"]: [*table["rows"], {"notes": table["notes"]}] for table in tables}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    """The tables of ten planted facts in 300 entries."""
    written = tmp_path_factory.mktemp("quality") / "tables.json"
    return quality(written, "--parts", "planted", "--entries", "300", "--facts", "10")


def test_planted_facts_are_asked_in_every_way(planted: dict[str, list[dict[str, object]]]) -> None:
    *kinds, _ = planted["Planted facts by kind of question"]

    asked = {row["kind"]: row["questions"] for row in kinds}
    assert asked == {
        "capital": 10, "lower": 10, "symptom": 10, "backticks": 10, "identifier": 10, "parts": 10, "italian": 10,
        "follow-up": 10, "all": 80,
    }  # fmt: skip


def test_planted_facts_never_come_from_siblings_or_the_context(
    planted: dict[str, list[dict[str, object]]],
) -> None:
    *kinds, _ = planted["Planted facts by kind of question"]

    assert {(row["siblings"], row["in context"]) for row in kinds} == {(0, 0)}


def test_planted_facts_have_no_rival_among_the_other_entries(
    planted: dict[str, list[dict[str, object]]],
) -> None:
    *engines, notes = planted["Planted facts by engine: share found first, and among 12"]

    coverage = next(row for row in engines if row["engine"] == "coverage of stems")
    assert {coverage[f"{kind} @1"] for kind in ("capital", "symptom", "parts", "italian", "follow-up")} == {1}
    assert ", 0 pairs of a question and an entry" in str(notes["notes"])


def test_planted_session_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys\n"
        "from quality.facts import read_facts\n"
        "from quality.planted_session import plant_session\n"
        "plant_session(pathlib.Path(sys.argv[1]), read_facts(5), entries=120)"
    )
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-c", program, str(tmp_path / hash_seed)]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run(command, cwd=_BENCHMARKS, env=environment, check=True)

    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def write_log(path: Path, *messages: dict[str, object], compacted_to: int | None = None) -> None:
    """Write a session in one chain, ids ``e1``, ``e2``..., with a compaction before the last two messages if asked."""
    entries: list[dict[str, object]] = [{"type": "message", "message": message} for message in messages]
    if compacted_to is not None:
        entries.insert(-2, {"type": "compaction", "summary": "", "firstKeptEntryId": f"e{compacted_to}"})
    head = {"type": "session", "version": 3, "id": path.stem, "timestamp": "2026-01-01T00:00:00Z", "cwd": "/"}
    lines: list[dict[str, object]] = [{**head}]
    for number, entry in enumerate(entries, 1):
        parent = f"e{number - 1}" if number > 1 else None
        place = {"id": f"e{number}", "parentId": parent, "timestamp": f"2026-01-01T00:00:{number:02}Z"}
        lines.append({**place, **entry})
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def said(text: str, role: str = "user") -> dict[str, object]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def test_a_public_set_is_scored_beside_the_controls(tmp_path: Path) -> None:
    write_log(
        tmp_path / "data" / "tiny_s1.jsonl", said("the pool holds 48 sockets"), said("lunch", "assistant")
    )
    question = {"session": "s1", "query": "how many sockets?", "relevant": ["e1"], "category": 1}
    (tmp_path / "data" / "tiny_queries.jsonl").write_text(json.dumps(question) + "\n")

    *engines, _ = quality(tmp_path / "t.json", "--parts", "public", "--data", tmp_path / "data")[
        "Public question set"
    ]

    scores = {row["engine"]: row["MRR"] for row in engines}
    found = ("uncompact, seed", "uncompact, relevance", "FTS5 porter", "bm25s .9/.4")
    assert [scores[engine] for engine in found] == ["1.000 (1.000-1.000)"] * 4
    assert {"random", "longest first"} <= scores.keys()


def test_recovery_finds_what_was_read_again_after_a_compaction(tmp_path: Path) -> None:
    content = "\n".join(f"maximum retries of queue {name} is 7" for name in ("orders", "refunds", "letters"))
    read: dict[str, object] = {**said(content, "toolResult"), "toolCallId": "c", "toolName": "read"}
    log = tmp_path / "logs" / "s2.jsonl"
    write_log(
        log, said("begin"), read, said("thanks"), said("how many refunds retries?"), read, compacted_to=3
    )

    tables = quality(tmp_path / "t.json", "--parts", "recovery", "--sessions", log.parent)

    *engines, notes = tables["Recovery, real compactions, by passage"]
    best = dict.fromkeys(("hit@5", "hit@10", "MRR"), "1.000 (1.000-1.000)")
    assert engines[:2] == [
        {"engine": "uncompact, seed", **best},
        {"engine": "uncompact, relevance", **best},
    ]
    assert str(notes["notes"]).startswith("1 cases")


def test_parts_without_data_say_so(tmp_path: Path) -> None:
    tables = quality(tmp_path / "t.json", "--parts", "public,recovery")

    assert [rows[-1]["notes"] for rows in tables.values()] == ["skipped: no folder named"] * 2


def test_sync_latency_measures_either_connection_with_and_without_a_change(tmp_path: Path) -> None:
    written = tmp_path / "figures.json"
    options = ["--entries", "60", "--repeats", "2", "--json", str(written)]
    subprocess.run(
        [sys.executable, "sync_latency.py", *options], cwd=_BENCHMARKS, check=True, capture_output=True
    )

    figures = json.loads(written.read_text(encoding="utf-8"))
    assert [(figure["connection"], figure["what"]) for figure in figures] == [
        ("fresh", "no change"), ("fresh", "one line"), ("open", "no change"), ("open", "one line")
    ]  # fmt: skip


@pytest.fixture(scope="module")
def speed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, object]], str]:
    """The lines of the speed benchmark, of 300 entries alone and among 600 others, and what it printed."""
    written = tmp_path_factory.mktemp("speed") / "new" / "table.json"
    options = [
        "--quick",
        "--sizes",
        "300/900",
        "300",
        "--requests",
        "3",
        "--batch",
        "4",
        "--json",
        str(written),
    ]
    command = [sys.executable, "speed/run.py", *options]
    done = subprocess.run(command, cwd=_BENCHMARKS, check=True, capture_output=True, text=True)
    (table,) = json.loads(written.read_text(encoding="utf-8"))
    return table["rows"], done.stdout


def test_speed_measures_every_way_of_each_store(speed: tuple[list[dict[str, object]], str]) -> None:
    lines, printed = speed

    measured = {(line["store"], line["what"]) for line in lines}
    ways = {"seed", "seed, asked again", "seed, a request of 4", "relevance", "relevance, asked again"}
    ways |= {"relevance, a request of 4", "baseline", "seed: ranking", "baseline: literals"}
    assert {(store, way) for store in ("300", "300 in 900") for way in ways} <= measured
    assert {("300", "python -c pass"), ("300", "uncompact retrieve")} <= measured
    assert printed.count("| 300") == len(lines)


def test_speed_compares_answers_and_no_empty_ones(speed: tuple[list[dict[str, object]], str]) -> None:
    hits = {(line["store"], line["what"]): line["hits"] for line in speed[0] if line["hits"] is not None}

    answering = {"seed", "relevance", "baseline", "uncompact retrieve"}
    assert {what for _, what in hits} >= answering
    assert all(isinstance(count, float | int) and count > 0 for count in hits.values())


def test_speed_holds_each_kind_of_line_against_its_budget(
    speed: tuple[list[dict[str, object]], str],
) -> None:
    judged = {(line["store"], line["what"]): line for line in speed[0] if line["budget"] is not None}

    both = {"seed", "relevance", "seed, a request of 4", "relevance, a request of 4"}
    alone = {*both, "seed, to its predecessor", "relevance, to its predecessor", "uncompact retrieve"}
    assert judged.keys() == {("300", what) for what in alone} | {("300 in 900", what) for what in both}
    assert {line["by CPU"] for line in judged.values()} <= {"met", "missed"}
    assert {line["what"] for line in judged.values() if line["by wall"] is None} == {
        "seed, to its predecessor", "relevance, to its predecessor"
    }  # fmt: skip


def test_speed_finds_the_same_in_a_store_of_more_sessions(
    speed: tuple[list[dict[str, object]], str],
) -> None:
    hits = {(line["store"], line["what"]): line["hits"] for line in speed[0]}

    ours = ("seed", "relevance", "seed, a request of 4")
    assert [hits["300", what] for what in ours] == [hits["300 in 900", what] for what in ours]


def test_a_budget_is_met_up_to_its_figures_and_missed_beyond_either() -> None:
    program = (
        "from speed.measure import Quantiles\n"
        "from speed.report import warm_budget\n"
        "found = [(4, 8), (4.1, 8), (4, 8.1)]\n"
        "print(*(warm_budget(5000).verdict(Quantiles(p50, p95, 99)) for p50, p95 in found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=_BENCHMARKS, check=True, capture_output=True, text=True
    )

    assert done.stdout.split() == ["met", "missed", "missed"]
