"""Literals before words, whole tokens before parts, many terms before one term often."""

from __future__ import annotations

import pytest

from tests.cases.builders import OpenCase


def test_a_long_flag_is_a_literal(open_case: OpenCase) -> None:
    answer = open_case("long_flags").retrieve("was --skip-checks allowed?")

    assert {"a0000001", "a0000002"} <= answer.literal_ids
    assert set(answer.ids[:2]) == {"a0000001", "a0000002"}


def test_prose_with_the_words_of_a_flag_is_no_literal(open_case: OpenCase) -> None:
    answer = open_case("long_flags").retrieve("was --skip-checks allowed?")

    assert "a0000003" not in answer.literal_ids
    assert "a0000004" not in answer.literal_ids


@pytest.mark.parametrize(
    ("request_text", "entry_id"),
    [
        ("again EACCES", "a0000001"),
        ("again E0382", "a0000002"),
        ("again TS7006", "a0000003"),
        ("again HTTP 503", "a0000004"),
    ],
)
def test_an_error_code_matches_whole(open_case: OpenCase, request_text: str, entry_id: str) -> None:
    answer = open_case("error_codes").retrieve(request_text)

    assert answer.ids[0] == entry_id
    assert "a0000005" not in answer.literal_ids


def test_a_word_does_not_match_inside_longer_words(open_case: OpenCase) -> None:
    assert set(open_case("word_edges").retrieve("log moved").ids) == {"a0000001", "a0000003"}


def test_a_whole_question_is_answered_by_the_words_that_occur(open_case: OpenCase) -> None:
    request_text = (
        "Hey, could you remind me why exactly the ferry import used to be so terribly late back then?"
    )
    answer = open_case("whole_question").retrieve(request_text)

    assert set(answer.ids) == {"a0000001", "a0000002"}


def test_three_terms_once_beat_one_term_often(open_case: OpenCase) -> None:
    assert open_case("distinct_terms").retrieve("tugboat radio backup").ids[0] == "a0000001"


def test_an_exact_identifier_leads_its_words_apart(open_case: OpenCase) -> None:
    hits = open_case("far_future_timestamp").retrieve("`winch_key` changes").hits

    assert [hit["tier"] for hit in hits] == ["literal-identifier", "lexical"]


def test_scores_fall_within_a_tier(open_case: OpenCase) -> None:
    hits = open_case("error_codes").retrieve("again EACCES on write, HTTP 503, job rows").hits

    order = ["literal-identifier", "literal-phrase", "lexical"]
    keys = [(order.index(hit["tier"]), -hit["score"]) for hit in hits]
    assert len(hits) >= 3
    assert keys == sorted(keys)
