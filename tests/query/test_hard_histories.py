"""Histories that mislead a search: the same file again and again, calls and results, long outputs, odd letters."""

from __future__ import annotations

import pytest

from tests.cases.builders import IndexedLogs, JsonObject, tool_result
from tests.query.histories import RANKINGS, ask, remember, result_of, tool_call
from uncompact.query.excerpt import EXCERPT_CHARS
from uncompact.query.settings import RankingName

both_rankings = pytest.mark.parametrize("ranking", RANKINGS)

SOURCE = "\n".join(f"def step_{number}(): return {number * 17}" for number in range(40))
OTHERS = [
    "rudder_trim was chosen for heavy seas.",
    "And rudder_trim stays as it is.",
    "What of rudder_trim in port?",
    "In port rudder_trim is zero.",
]


@pytest.fixture(scope="module")
def often_read(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """A file that was read fifteen times with another first line each time, and what was said of it."""
    reads: list[JsonObject] = []
    for number in range(15):
        call = tool_call(f"call_{number}", {"path": "jobs/night.py"}, tool="read")
        text = f"# revision {number}\n{SOURCE}\nrudder_trim = 4\n"
        reads += [call, result_of(f"result_{number}", call, text)]
    return remember(tmp_path_factory.mktemp("reads"), *OTHERS, *reads)


@both_rankings
def test_fifteen_reads_of_one_file_take_one_place(often_read: IndexedLogs, ranking: RankingName) -> None:
    answer = ask(often_read, "`rudder_trim`", ranking=ranking)

    assert {"e0", "e1", "e2", "e3"} <= set(answer.ids)
    assert sum(entry_id.startswith("result_") for entry_id in answer.ids) == 1
    assert answer.values["counts"]["near_duplicate"] == 14


@both_rankings
def test_a_call_and_its_result_take_one_place(
    tmp_path_factory: pytest.TempPathFactory, ranking: RankingName
) -> None:
    call = tool_call("call", {"path": "jobs/tide_table.py"}, tool="read")
    logs = remember(
        tmp_path_factory.mktemp("pair"),
        "start",
        call,
        result_of("result", call, "# jobs/tide_table.py\nhigh_water = 5"),
        "high_water is early today",
    )
    answer = ask(logs, "tide_table.py high_water", ranking=ranking)

    assert sorted(answer.ids) == ["e3", "result"]
    assert answer.values["counts"]["same_tool_call"] == 1


@pytest.fixture(scope="module")
def long_output(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """One line that matters in the middle of 200 KB of output that looks like it, and short talk beside it."""
    lines = [f"line {number}: the pump ran at {number * 7} rpm" for number in range(6000)]
    lines[3000] = "line 3000: the valve_seal 7731 of the pump gave way"
    return remember(
        tmp_path_factory.mktemp("long"),
        "The pump ran well.",
        tool_result("output", None, "\n".join(lines)),
        "The pump is old.",
    )


@both_rankings
@pytest.mark.parametrize("request_text", ["valve_seal", "which pump valve gave way?", "pump valve seal 7731"])
def test_a_line_in_the_middle_of_a_long_output_leads_and_is_shown(
    long_output: IndexedLogs, request_text: str, ranking: RankingName
) -> None:
    # Ranked as one document of 200 KB it would be behind every short text, shown from its first word.
    answer = ask(long_output, request_text, ranking=ranking)

    assert answer.ids[0] == "output"
    assert "line 3000: the valve_seal 7731 of the pump gave way" in answer.excerpt("output")
    assert len(answer.excerpt("output")) <= EXCERPT_CHARS


FILLER = "fill " * 3000


@pytest.mark.parametrize(
    ("text", "request_text", "shown"),
    [
        pytest.param(
            f"{FILLER}l’età del galeone è nota {FILLER}",
            "eta galeone",
            "l’età del galeone è nota",
            id="accents",
        ),
        pytest.param(
            f"{FILLER}l’eta\u0300 del galeone {FILLER}",
            "`galeone` ETÀ",
            "l’eta\u0300 del galeone",
            id="decomposed",
        ),
        pytest.param(
            "\u0130" * 9000 + " capital_probe " + "\u0130" * 9000,
            "capital_probe",
            " capital_probe ",
            id="letters that grow when lowered",
        ),
        pytest.param(
            f"crane {FILLER}the crane lifts the turbine blade {FILLER}crane",
            "crane turbine blade",
            "the crane lifts the turbine blade",
            id="densest place, not the first",
        ),
        pytest.param(
            f"{'👩‍🔧' * 3000} late_mark {'🚀' * 6000}",
            "`late_mark`",
            " late_mark ",
            id="between joined emoji",
        ),
    ],
)
def test_an_excerpt_shows_the_place_that_was_found(
    tmp_path_factory: pytest.TempPathFactory, text: str, request_text: str, shown: str
) -> None:
    excerpt = ask(remember(tmp_path_factory.mktemp("place"), text), request_text).excerpt("e0")

    assert shown in excerpt
    assert excerpt in text
    assert len(excerpt) <= EXCERPT_CHARS


def test_an_excerpt_halves_no_character(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "👩‍🔧" * 3000 + " late_mark " + "🇮🇹" * 6000
    excerpt = ask(remember(tmp_path_factory.mktemp("whole"), text), "`late_mark`").excerpt("e0")

    before, after = excerpt.split(" late_mark ")
    assert before == "👩‍🔧" * before.count("👩")
    assert after == "🇮🇹" * (len(after) // 2)


def test_the_frame_around_a_note_is_the_same_however_long_the_note(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    short, long = "gate code 4711", "gate code 4711 " + "and more of it " * 200
    logs = remember(tmp_path_factory.mktemp("frames"), short, long)
    hits = {hit["excerpt"]: hit["message"]["content"] for hit in ask(logs, "gate code").hits}

    frames = [content.replace(excerpt, "") for excerpt, content in hits.items()]
    assert len(frames) == 2
    assert abs(len(frames[0]) - len(frames[1])) < 20


@pytest.mark.parametrize("budget", [0, 47, 120, 500, 1300])
def test_frames_count_in_the_budget(tmp_path_factory: pytest.TempPathFactory, budget: int) -> None:
    # A dozen short notes cost a dozen frames: whoever sets a budget has set it for these, too.
    notes = [f"gate {number} has the code {number * 37}" for number in range(12)]
    logs = remember(tmp_path_factory.mktemp("budget"), *notes)
    answer = ask(logs, "gate code", max_retrieved_history_tokens=budget)

    assert sum(hit["tokens"] for hit in answer.hits) == answer.values["tokens"] <= budget
    left = answer.values["counts"]["over_budget"]
    assert len(answer.hits) + left == 12


@pytest.fixture(scope="module")
def common_words(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """One early mention of a name, and thousands of its words in another order."""
    later = (f"the config number {number} was read, then we had to parse it" for number in range(5_100))
    return remember(tmp_path_factory.mktemp("common"), "parse_config must stay at 42 retries", *later)


@both_rankings
def test_the_first_mention_of_a_name_is_found_among_thousands_of_its_words(
    common_words: IndexedLogs, ranking: RankingName
) -> None:
    assert ask(common_words, "`parse_config`", ranking=ranking).ids[0] == "e0"


def test_words_in_more_entries_than_are_looked_at_are_no_reason_to_blame_a_branch(
    common_words: IndexedLogs,
) -> None:
    answer = ask(common_words, "`config_parse`").values

    assert answer["status"] == "no-hits"
    assert answer["reason"].startswith("the words stand in more entries than are looked at")
    assert (answer["counts"]["candidates"], answer["counts"]["sibling"]) == (5_101, 0)
