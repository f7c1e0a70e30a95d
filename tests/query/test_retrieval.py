"""One request to evidence: what comes back, how much of it, and why nothing does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    assistant,
    compacted,
    compaction,
    entry,
    header,
    index_lines,
    tool_result,
    user,
)

LINE = "The winch drum turned without any trouble in the morning.\n"
# Ten passages of equal length: none of the cuts has a choice.
TEN_PASSAGES = [f"{'abcdefghij'[at] * 749}\n" for at in range(10)]


def removed(*entries: JsonObject) -> list[JsonObject]:
    """Return a log whose ``entries`` a compaction removed, each the parent of the next."""
    lines = [header()]
    for one in entries:
        lines.append({**one, "parentId": lines[-1].get("id") if len(lines) > 1 else None})
    return [*lines, *compacted(lines[-1]["id"])]


def ask(logs: IndexedLogs, request: str, **limits: Any) -> JsonObject:
    with uncompact.open_store(logs.store) as store:
        return store.retrieve(logs.root / "s.jsonl", request, **limits).to_dict()


def ids(answer: JsonObject) -> list[str]:
    return [hit["entry_id"] for hit in answer["hits"]]


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """A decision, 120 later mentions of its name, an off-topic turn, an edit, a sibling and a compaction."""
    lines = removed(
        user("decision", None, "We decided that `maxPool` stays at 37 because of the billing outage.", 1),
        *(
            assistant(f"m{number:03}", None, f"maxPool is read by module {number}.", 2)
            for number in range(120)
        ),
        user("edited", None, "The anchor code is 4711.", 3),
        entry("context_edit", "edit", None, 4, targetId="edited", replacement=None),
        user("copy 1", None, "Keel Depth: 3 metres", 5),
        user("copy 2", None, "keel depth: 3  metres\n", 6),
        tool_result(
            "recalled", None, "maxPool was decided earlier: billing outage", 7, tool="history_recall"
        ),
    )
    sibling = assistant("sibling", "m000", "The lantern oil is stored aft.", 8)
    return index_lines([*lines[:-4], sibling, *lines[-4:]], tmp_path_factory.mktemp("talk"))


@pytest.fixture(scope="module")
def long_talk(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """Long texts with what is asked for in a middle passage, at the border of two, and among common words."""
    passages = TEN_PASSAGES.copy()
    passages[5] = f"capstan {passages[5][8:]}"
    passages[8] = f"{passages[8][:-9]} bollard\n"
    return index_lines(
        removed(
            tool_result("long", None, LINE * 200 + "The rudder stock broke.\n" + LINE * 200),
            user("ten", None, "".join(passages)),
            user("eight", None, "fairlead\n" + "".join(TEN_PASSAGES)[8:6000]),
            user("noisy", None, "sluice\n" * 1500 + "x " * 3000 + "sluice gate E7731 jammed\n"),
            user("short", None, "The thwart is oak."),
        ),
        tmp_path_factory.mktemp("long"),
    )


def test_an_old_decision_is_found_among_120_later_mentions(talk: IndexedLogs) -> None:
    assert ids(ask(talk, "What did we decide about `maxPool` and the billing outage?"))[0] == "decision"


@pytest.mark.parametrize(
    "request_text", ["maxPool billing decided", "the billing outage", "`maxPool` outage"]
)
def test_an_old_decision_is_found_by_any_of_its_words(talk: IndexedLogs, request_text: str) -> None:
    assert ids(ask(talk, request_text))[0] == "decision"


@pytest.mark.parametrize(
    ("request_text", "status", "reason"),
    [
        pytest.param("maxPool", "complete", None, id="found"),
        pytest.param("please continue", "no-query", "the request names no topic", id="no topic"),
        pytest.param("", "no-query", "the request names no topic", id="nothing asked"),
        pytest.param("zeppelin", "no-hits", "nothing on this branch matches", id="nowhere"),
        pytest.param("the picnic", "no-hits", "what matches is still in the active context", id="in context"),
        pytest.param(
            "the lantern",
            "no-hits",
            "what matches is on another branch or was taken out on purpose",
            id="sibling",
        ),
        pytest.param(
            "the anchor code",
            "no-hits",
            "what matches is on another branch or was taken out on purpose",
            id="edited out",
        ),
    ],
)
def test_an_answer_says_why_there_is_nothing(
    talk: IndexedLogs, request_text: str, status: str, reason: str | None
) -> None:
    answer = ask(talk, request_text)

    assert (answer["status"], answer["reason"]) == (status, reason)
    assert bool(answer["hits"]) == (status == "complete")


def test_before_a_compaction_nothing_was_removed(talk: IndexedLogs) -> None:
    assert ask(talk, "zeppelin", leaf="m010")["reason"] == "nothing was removed from this branch's context"


def test_a_session_without_entries_is_disabled(tmp_path: Path) -> None:
    answer = ask(index_lines([header()], tmp_path), "maxPool")

    assert (answer["status"], answer["leaf"]) == ("disabled", None)


def test_an_unknown_leaf_is_an_error(talk: IndexedLogs) -> None:
    with pytest.raises(uncompact.NotFoundError):
        ask(talk, "maxPool", leaf="zz")


def test_what_the_caller_shows_does_not_come_back(talk: IndexedLogs) -> None:
    shown = ["decision", *(f"m{number:03}" for number in range(118))]

    assert sorted(ids(ask(talk, "maxPool", context_ids=shown))) == ["m118", "m119"]


def test_what_a_history_tool_found_is_no_evidence_again(talk: IndexedLogs) -> None:
    assert "recalled" not in ids(ask(talk, "maxPool billing outage", max_results=100))


def test_equal_texts_come_back_once_and_are_counted(talk: IndexedLogs) -> None:
    answer = ask(talk, "keel depth")

    assert ids(answer) == ["copy 2"]
    assert answer["counts"]["duplicate"] == 1


@pytest.mark.parametrize(
    "request_text", ["maxPool", "keel depth", "the lantern", "anchor or picnic", "maxPool 4711 oil"]
)
@pytest.mark.parametrize(
    "shown", [None, ["decision", "edited", "m000"]], ids=["log's context", "caller's context"]
)
def test_every_matching_passage_is_counted_once(
    talk: IndexedLogs, request_text: str, shown: list[str] | None
) -> None:
    answer = ask(talk, request_text, context_ids=shown)
    counts = answer["counts"]
    holding = {
        "maxPool": 121,
        "keel depth": 2,
        "the lantern": 1,
        "anchor or picnic": 2,
        "maxPool 4711 oil": 123,
    }

    where = ("candidates", "in_context", "edited_out", "sibling")
    assert sum(counts[name] for name in where) == holding[request_text]
    assert counts["ranked"] == len(answer["hits"]) + counts["over_limit"] + counts["over_budget"]
    assert counts["verified"] == counts["ranked"] + counts["duplicate"]
    assert counts["alternate_branch_candidates"] == 0


@pytest.mark.parametrize("max_results", [1, 100])
def test_so_many_results_come_back(talk: IndexedLogs, max_results: int) -> None:
    assert len(ask(talk, "maxPool", max_results=max_results)["hits"]) == max_results


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param({"max_results": 0}, id="no results"),
        pytest.param({"max_results": 101}, id="too many results"),
        pytest.param({"max_retrieved_history_tokens": -1}, id="negative tokens"),
    ],
)
def test_a_limit_out_of_range_is_an_error(talk: IndexedLogs, limits: dict[str, int]) -> None:
    with pytest.raises(uncompact.LimitError):
        ask(talk, "maxPool", **limits)


@pytest.mark.parametrize("tokens", [0, 47, 48, 130, 260, 1000, 16_000])
def test_evidence_fits_the_budget(talk: IndexedLogs, tokens: int) -> None:
    answer = ask(talk, "maxPool", max_retrieved_history_tokens=tokens)

    assert answer["tokens"] == sum(hit["tokens"] for hit in answer["hits"]) <= tokens


def test_without_a_budget_the_answer_says_so(talk: IndexedLogs) -> None:
    answer = ask(talk, "maxPool", max_retrieved_history_tokens=0)

    assert (answer["status"], answer["reason"]) == ("no-hits", "matching entries exceed the token budget")
    assert answer["counts"]["over_budget"] == 121


def test_what_does_not_fit_is_passed_over_for_what_does(tmp_path: Path) -> None:
    lines = removed(user("large", None, "thwart thole " + "x" * 900), assistant("small", None, "thwart"))
    logs = index_lines(lines, tmp_path)

    assert ids(ask(logs, "thwart thole")) == ["large", "small"]
    assert ids(ask(logs, "thwart thole", max_retrieved_history_tokens=140)) == ["small"]


def test_a_large_entry_is_cut_down_to_a_small_budget(long_talk: IndexedLogs) -> None:
    (hit,) = ask(long_talk, "rudder", max_retrieved_history_tokens=200)["hits"]

    assert "The rudder stock broke." in hit["excerpt"]
    assert hit["truncated"]


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        pytest.param("rudder", "\nThe rudder stock broke.\n", id="middle of a long result"),
        pytest.param("capstan", "eeee\ncapstan ffff", id="begin of a passage"),
        pytest.param("bollard", "iiii bollard\njjjj", id="end of a passage"),
        pytest.param("fairlead", "fairlead\n", id="one character more than an excerpt"),
        pytest.param("sluice E7731", "sluice gate E7731 jammed", id="behind many matches of another term"),
    ],
)
def test_an_excerpt_is_cut_around_its_best_passage(
    long_talk: IndexedLogs, request_text: str, text: str
) -> None:
    (hit,) = ask(long_talk, request_text)["hits"]

    assert text in hit["excerpt"]
    assert len(hit["excerpt"]) <= 6000
    assert hit["truncated"]


def test_matches_in_neighbouring_passages_share_an_excerpt(long_talk: IndexedLogs) -> None:
    (hit,) = ask(long_talk, "capstan or bollard")["hits"]

    assert "capstan" in hit["excerpt"]
    assert "bollard" in hit["excerpt"]


@pytest.mark.parametrize("passages", [1, 2, 7, 8, 9], ids=str)
def test_an_entry_is_truncated_when_its_excerpt_lacks_any_of_it(tmp_path: Path, passages: int) -> None:
    text = "fairlead\n" + "".join(f"{'x' * 700}\n" for _ in range(passages))
    (hit,) = ask(index_lines(removed(user("u1", None, text)), tmp_path), "fairlead")["hits"]

    assert hit["truncated"] == (hit["excerpt"] != text)


def test_an_answer_is_json_that_quotes_its_excerpts(talk: IndexedLogs) -> None:
    answer = json.loads(json.dumps(ask(talk, "maxPool")))

    for hit in answer["hits"]:
        lines = hit["message"]["content"].splitlines()
        assert json.loads(lines[7].removeprefix("Quoted content JSON: ")) == hit["excerpt"]
        assert lines[4] == f"Retrieval score: {hit['score']:.3f}"
        assert lines[5] == f"Reason: {hit['reason']}"


def test_a_phrase_with_marks_of_lines_keeps_the_frame(tmp_path: Path) -> None:
    logs = index_lines(removed(user("u1", None, "The keel\u2028depth is 3.")), tmp_path)
    (hit,) = ask(logs, "`keel\u2028depth`")["hits"]

    assert len(hit["message"]["content"].splitlines()) == 9


def test_a_compaction_that_keeps_nothing_removes_all_before_it(tmp_path: Path) -> None:
    lines = [header(), user("u1", None, "The keel is oak."), compaction("c1", "u1", "gone")]

    assert ids(ask(index_lines(lines, tmp_path), "keel")) == ["u1"]
