"""What the extractors share: cutting literals out of a text, lists without repeats, scripts set apart."""

from __future__ import annotations

import re

from uncompact.query.extraction import cut, separate_scripts, unique


def test_cutting_leaves_a_line_end_in_the_literals_place() -> None:
    assert cut("use a1 and b2", re.compile(r"[a-z]\d")) == (("a1", "b2"), "use \n and \n")


def test_a_match_that_is_no_literal_stays_in_the_text() -> None:
    literals, rest = cut("a1 b2", re.compile(r"[a-z]\d"), lambda match: None if match == "a1" else match)

    assert (literals, rest) == (("b2",), "a1 \n")


def test_an_empty_literal_is_cut_out_and_not_kept() -> None:
    assert cut("a1", re.compile(r"a1"), lambda _: "") == ((), "\n")


def test_unique_trims_drops_empties_and_keeps_case_apart() -> None:
    assert unique([" a", "a ", "", " ", "A"]) == ("a", "A")


def test_scripts_are_set_apart_without_changing_them() -> None:
    assert separate_scripts("重跑gen后") == "\n重跑\ngen\n后\n"
