"""Of rows found in several files those are a session's that its chain links."""

from __future__ import annotations

import hashlib

from uncompact.pipelines.salvaged_entries import FoundEntry, pick_entries


def chained(*ids: str, standing: int = 2, run: str = "run1") -> list[FoundEntry]:
    """Make the entries of one reading of a log, each chained to the one before."""
    chain = "0" * 16
    found: list[FoundEntry] = []
    for pos, entry_id in enumerate(ids):
        chain = hashlib.sha256(f"{chain}sha-{entry_id}{entry_id}".encode()).hexdigest()[:16]
        found.append(FoundEntry(pos, chain, f"sha-{entry_id}", entry_id, standing, run, 0, pos))
    return found


def picked(
    found: list[FoundEntry], chain: str | None, entries: int | None, least_standing: int = 1
) -> list[str]:
    return [one.entry_id for one in pick_entries(found, chain, entries, least_standing=least_standing)]


def test_rows_of_the_state_are_taken() -> None:
    found = chained("a", "b", "c")

    assert picked(found, found[-1].chain, 3) == ["a", "b", "c"]


def test_a_lost_row_is_taken_from_a_file_out_of_use_when_it_fits() -> None:
    found = chained("a", "b", "c")
    earlier = chained("a", "b", standing=0, run="run0")

    assert picked([found[0], found[2], earlier[1]], found[-1].chain, 3) == ["a", "b", "c"]


def test_a_row_of_an_earlier_reading_never_comes_between() -> None:
    found = chained("a", "b", "c")
    rewritten = chained("x", "y", "z", standing=0, run="run0")

    assert picked([found[2], *rewritten], found[-1].chain, 3, least_standing=0) == ["c"]


def test_below_a_gap_rows_are_taken_as_far_as_they_stand_well() -> None:
    found = chained("a", "b", "c", "d")
    unused = [one._replace(standing=0) for one in found[:2]]

    assert picked([found[3], *unused], found[-1].chain, 4) == ["d"]
    assert picked([found[3], *unused], found[-1].chain, 4, least_standing=0) == ["a", "b", "d"]


def test_the_latest_run_comes_first_where_no_chain_tells() -> None:
    older, newer = chained("a"), chained("x", run="run2")

    assert picked([*older, *newer], None, None) == ["x"]


def test_rows_beyond_the_end_are_left_out_unless_they_go_on_from_it() -> None:
    found = chained("a", "b", "c")
    other = chained("x", "y", "z", run="run9")

    assert picked([*found[:2], other[2]], found[1].chain, 2) == ["a", "b"]
    assert picked(found, found[1].chain, 2) == ["a", "b", "c"]


def test_nothing_found_is_nothing_picked() -> None:
    assert picked([], "f" * 16, 5) == []
