"""What matters is found among very many that look alike, and in stores and lines of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import assistant, compaction, header, user, write_log
from uncompact.pipelines.json_lines import recover_objects


def test_a_literal_is_found_behind_many_passages_that_hold_only_its_words(tmp_path: Path) -> None:
    crowd = [f"the config file number {at} was read, then we had to parse it" for at in range(450)]

    hits = ask(tmp_path, ["parse_config must stay at 42 retries", *crowd], "what about `parse_config`?")

    assert (hits[0]["entry_id"], hits[0]["tier"]) == ("e0", "literal-identifier")


def test_passages_that_hold_only_its_words_are_not_counted_as_another_branchs(tmp_path: Path) -> None:
    crowd = [f"the config file number {at} was read, then we had to parse it" for at in range(450)]
    ask(tmp_path, ["parse_config must stay at 42 retries", *crowd], "nothing")

    with uncompact.open_store(tmp_path / "store") as store:
        counts = store.retrieve(tmp_path / "logs" / "s.jsonl", "`parse_config`").counts

    assert (counts["candidates"], counts["sibling"]) == (451, 0)


def test_a_large_output_does_not_crowd_out_another_entry(tmp_path: Path) -> None:
    large = "\n".join(f"line {at} of the kafka log, offset {at * 17}" for at in range(20_000))

    hits = ask(tmp_path, ["we chose kafka retention 7 days", large], "kafka")

    assert {hit["entry_id"] for hit in hits} == {"e0", "e1"}


def as_json(frame: str) -> str:
    return json.dumps({"message": frame})


def with_other_line_ends(frame: str) -> str:
    return frame.replace("\n", "\r\n")


def quoted_by_a_person(frame: str) -> str:
    return frame.replace("\n", "\n> ")


def cut_off(frame: str) -> str:
    return frame.rsplit("\n", 1)[0]


@pytest.mark.parametrize("quoted", [as_json, with_other_line_ends, quoted_by_a_person, cut_off])
def test_our_own_evidence_in_other_clothes_never_comes_back(
    tmp_path: Path, quoted: Callable[[str], str]
) -> None:
    [first] = ask(tmp_path, ["the gate_code is 4711"], "`gate_code`")
    frame = first["message"]["content"]

    hits = ask(tmp_path / "again", ["the gate_code is 4711", quoted(frame)], "`gate_code`")

    assert [hit["entry_id"] for hit in hits] == ["e0"]


def test_a_folder_above_the_store_may_be_named_like_a_column(tmp_path: Path) -> None:
    hits = ask(tmp_path / "text=1" / "state=x", ["the keel is oak"], "keel")

    assert "oak" in hits[0]["excerpt"]


@pytest.mark.parametrize("name", ["per%cent", "q?mark", "ha#sh", "tab\there"])
def test_a_store_whose_path_the_lake_would_not_find_again_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(uncompact.StoreError, match="in its path"):
        uncompact.reindex([tmp_path], tmp_path / name)


def test_a_line_of_nothing_but_beginnings_costs_little() -> None:
    assert list(recover_objects(b'{"type"' * 1_000_000)) == []


def ask(folder: Path, texts: list[str], request: str) -> list[dict[str, Any]]:
    """Index a session whose entries ``e0``, ``e1``, ... say ``texts`` and were all compacted away; return the hits."""
    lines = [header()]
    for at, text in enumerate(texts):
        say = user if at % 2 == 0 else assistant
        lines.append(say(f"e{at}", f"e{at - 1}" if at else None, text))
    last = f"e{len(texts) - 1}"
    (folder / "logs").mkdir(parents=True)
    log = write_log(folder / "logs" / "s.jsonl", [*lines, compaction("k", last, "k")])
    uncompact.reindex([log.parent], folder / "store")
    with uncompact.open_store(folder / "store") as store:
        answer = store.retrieve(log, request, max_results=100, max_retrieved_history_tokens=10**6)
    hits: list[dict[str, Any]] = answer.to_dict()["hits"]
    return hits
