"""Requests that mislead a search: how they begin, what only resembles a name, short words, quotes, other forms.

Each is asked of a store that was made from a log, and what was asked about is there to be found.
"""

from __future__ import annotations

import pytest

from tests.cases.builders import IndexedLogs, JsonObject, assistant, user
from tests.query.histories import RANKINGS, ask, remember, result_of, terms, tool_call
from uncompact.query.settings import RankingName

OPENINGS = ("How about", "Why not", "Let me look at", "Which one of", "Find", "Add", "Set")
WORKS = ("anchor", "rudder", "mast", "sail", "deck", "keel")

both_rankings = pytest.mark.parametrize("ranking", RANKINGS)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """One fact, and 210 messages that begin as questions and requests do."""
    noise = [
        f"{opening} step {number} of the {work} work"
        for number in range(5)
        for work in WORKS
        for opening in OPENINGS
    ]
    return remember(tmp_path_factory.mktemp("harbour"), "The crane limit we settled on is 42 tonnes.", *noise)


@both_rankings
@pytest.mark.parametrize(
    "request_text",
    [
        "How big is the crane limit we settled on?",
        "Let me know the crane limit",
        "Which crane limit?",
        "Find the crane limit",
        "Why not the crane limit?",
        "Add the crane limit",
        "Set by whom, the crane limit?",
    ],
)
def test_a_capital_at_the_beginning_is_no_name(
    harbour: IndexedLogs, request_text: str, ranking: RankingName
) -> None:
    # Taken for an identifier, the first word would rank every message that begins alike above the fact.
    asked, lower = (ask(harbour, text, ranking=ranking) for text in (request_text, request_text.lower()))

    assert asked.ids[0] == "e0"
    assert asked.literal_ids == set()
    assert asked.hits == lower.hits


@pytest.mark.parametrize(
    ("request_text", "found"),
    [("`Add`", ["e1"]), ("`Address`", ["e0"]), ("`AddressBook`", ["e2"]), ("`Book`", [])],
)
def test_a_literal_does_not_match_inside_a_longer_word(
    tmp_path_factory: pytest.TempPathFactory, request_text: str, found: list[str]
) -> None:
    logs = remember(
        tmp_path_factory.mktemp("whole"),
        "The Address of the quay is unknown.",
        "Add a second winch.",
        "AddressBook loads late.",
    )

    assert ask(logs, request_text).ids == found


@pytest.fixture(scope="module")
def mentions(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """A decision, and 400 later mentions of the name it is about."""
    decision = "We decided that parseConfig keeps the strict mode because of the billing outage."
    later = [f"parseConfig is called by module {number}." for number in range(400)]
    return remember(tmp_path_factory.mktemp("mentions"), decision, *later)


@both_rankings
@pytest.mark.parametrize(
    "request_text",
    [
        "What did we decide about `parseConfig`?",
        "What did we decide about `parseConfig` and the outage?",
        "parseConfig billing outage decision",
    ],
)
def test_an_old_decision_leads_hundreds_of_later_mentions_of_its_name(
    mentions: IndexedLogs, request_text: str, ranking: RankingName
) -> None:
    # A pool of the newest mentions would have lost it before it could be ranked.
    assert ask(mentions, request_text, ranking=ranking).ids[0] == "e0"


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """An answer that has every word of a request but its name, and one message with nothing but the name."""
    said = ["the outage came from the retry budget of the billing worker", "see parseConfig for that"]
    return remember(
        tmp_path_factory.mktemp("incident"), *said, *(f"unrelated line {number}" for number in range(8))
    )


def test_by_relevance_all_words_of_a_request_outweigh_one_name(incident: IndexedLogs) -> None:
    answer = ask(incident, "parseConfig outage retry budget billing worker", ranking="relevance")

    assert answer.ids == ["e0", "e1"]


def test_by_points_a_name_leads_and_all_other_words_come_next(incident: IndexedLogs) -> None:
    answer = ask(incident, "parseConfig outage retry budget billing worker")

    assert [(hit["entry_id"], hit["tier"]) for hit in answer.hits] == [
        ("e1", "literal-identifier"),
        ("e0", "lexical"),
    ]


@both_rankings
def test_short_technologies_are_searched_and_scored(
    tmp_path_factory: pytest.TempPathFactory, ranking: RankingName
) -> None:
    words = ["aws", "sql", "git", "npm", "api", "css", "ux"]
    logs = remember(
        tmp_path_factory.mktemp("short"), *(f"{word} was settled on" for word in words), "and rope"
    )
    answer = ask(logs, f"why {' or '.join(words)}?", ranking=ranking)

    assert terms(answer, "technology") == words
    assert sorted(answer.ids) == [f"e{at}" for at in range(len(words))]
    assert min(hit["score"] for hit in answer.hits) > 0


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    """Words in capitals, hyphens and dots, and files without an extension."""
    return remember(
        tmp_path_factory.mktemp("shapes"),
        "ENV is read once",
        "EXPORT needs a key",
        "our long-term view",
        "we re-index at night",
        "in Makefile the target is slow",
        "Dockerfile has two stages",
        "src/foo/ holds the parser",
        "mail to ada@example.com",
        "since 1.2.3 it is quick",
        "the build stopped with ENOENT",
    )


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        pytest.param("EXPORT the ENV", {"e0", "e1"}, id="capitals that begin like error names"),
        pytest.param("long-term or re-index", {"e2", "e3"}, id="hyphenated prose"),
        pytest.param("what came in 1.2.3", {"e8"}, id="version"),
        pytest.param("e.g. the parser", {"e6"}, id="abbreviation"),
        pytest.param("It is done.Then the parser", {"e6"}, id="sentences without a blank"),
    ],
)
def test_what_is_only_shaped_like_code_is_found_as_words(
    shapes: IndexedLogs, request_text: str, found: set[str]
) -> None:
    answer = ask(shapes, request_text)

    assert set(answer.ids) == found
    assert answer.literal_ids == set()


@pytest.mark.parametrize(
    ("request_text", "first"),
    [
        pytest.param("why is the Makefile slow?", "e4", id="Makefile"),
        pytest.param("Dockerfile?", "e5", id="Dockerfile"),
        pytest.param("what is in src/foo/", "e6", id="directory"),
        pytest.param("who is ada@example.com", "e7", id="mail address"),
        pytest.param("why ENOENT?", "e9", id="error name"),
    ],
)
def test_files_without_extension_addresses_and_error_names_are_literals(
    shapes: IndexedLogs, request_text: str, first: str
) -> None:
    answer = ask(shapes, request_text)

    assert answer.ids[0] == first
    assert first in answer.literal_ids


@pytest.mark.parametrize(
    ("request_text", "keywords"),
    [
        pytest.param("I don't think that's right", [], id="nothing between them is a topic"),
        pytest.param("I don't think that's the crane's fault", ["crane", "fault"], id="English"),
        pytest.param("non c'è l'argano dell'officina", ["argano", "officina"], id="Italian"),
    ],
)
def test_what_stands_between_apostrophes_is_no_phrase(
    tmp_path_factory: pytest.TempPathFactory, request_text: str, keywords: list[str]
) -> None:
    logs = remember(
        tmp_path_factory.mktemp("quotes"), "t think that is odd", "the crane, l'argano dell'officina"
    )
    answer = ask(logs, request_text)

    assert (terms(answer, "phrase"), terms(answer, "keyword")) == ([], keywords)
    assert answer.ids == (["e1"] if keywords else [])


@pytest.fixture(scope="module")
def written_file(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    call = tool_call(
        "call", {"path": "jobs/night.py", "content": "import os\nreconcile_all()\n\tledger = 4\r\nquay\\n"}
    )
    return remember(tmp_path_factory.mktemp("call"), "start", call, result_of("done", call, "written"))


@pytest.mark.parametrize(
    "request_text",
    ["reconcile", "`reconcile_all`", "ledger", "quay", "jobs/night.py", "what did night.py import?"],
)
def test_words_at_the_beginning_of_a_written_files_lines_are_found(
    written_file: IndexedLogs, request_text: str
) -> None:
    # In JSON a line's end is a backslash and an n, which would be glued to the word behind it.
    answer = ask(written_file, request_text)

    assert answer.ids == ["call"]
    assert "import os\nreconcile_all()\n\tledger = 4" in answer.excerpt("call")


NAMES: list[JsonObject] = [
    user("snake", None, "parse_config is strict"),
    assistant("words", None, "then parse config gently"),
    user("camel", None, "parseConfig is lenient"),
    assistant("other", None, "config first, parse later"),
]


@pytest.mark.parametrize(
    ("request_text", "first"),
    [("parse_config", "snake"), ("parseConfig", "camel"), ("`parseConfig`?", "camel")],
)
def test_a_name_finds_its_other_spellings_behind_its_own(
    tmp_path_factory: pytest.TempPathFactory, request_text: str, first: str
) -> None:
    answer = ask(remember(tmp_path_factory.mktemp("names"), *NAMES), request_text)

    assert answer.ids[0] == first
    assert answer.literal_ids == {first}
    assert set(answer.ids) == {"snake", "words", "camel"}


@pytest.mark.parametrize(
    "request_text", ["why retry?", "retrying", "which retries did we choose", "the choice: chosen retry"]
)
def test_other_forms_of_a_word_are_found(tmp_path_factory: pytest.TempPathFactory, request_text: str) -> None:
    logs = remember(tmp_path_factory.mktemp("forms"), "We chose five retries, as the broker drops.", "Fine.")

    assert ask(logs, request_text).ids == ["e0"]


def test_every_term_of_a_full_descriptor_is_searched(tmp_path_factory: pytest.TempPathFactory) -> None:
    names = [f"name_{letter}" for letter in "abcdefghijkl"]
    words = [f"{start}{end}" for start in ("bal", "cer", "dov", "fim") for end in ("orith", "uneth", "igath")]
    logs = remember(tmp_path_factory.mktemp("full"), *(f"{word} is noted" for word in (*names, *words)))
    answer = ask(logs, " ".join((*names, *words)), max_results=100)

    assert len(answer.ids) == len(answer.values["descriptor"]["terms"]) == 24
