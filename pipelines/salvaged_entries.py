"""Which of the rows found for a session's entries are the session's: those that its chain of lines links."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["FoundEntry", "pick_entries"]

_CHAIN_DIGITS = 16


class FoundEntry(NamedTuple):
    """A row of ``entries`` found in a file; ``standing``, 0 for a file out of use, and ``run`` say which comes first."""

    pos: int
    chain: str
    raw_sha256: str
    entry_id: str
    standing: int
    run: str
    file: int
    row: int


def pick_entries(
    found: Iterable[FoundEntry], last_chain: str | None, entries: int | None, *, least_standing: int
) -> list[FoundEntry]:
    """Return one row for each place that has one, in file order.

    Going down from the last of ``entries``, whose chain is ``last_chain``, a row is taken when the one above was made
    from its chain. Where none was, or nothing stands above, the first of those of ``least_standing`` and better is
    taken, but none of a file out of use that had a row which did not fit: it is of an earlier reading of a log that
    was rewritten since. What follows the last one and is made from it is taken, too. With ``entries`` unknown all
    places are looked at.
    """
    places: dict[int, list[FoundEntry]] = {}
    for entry in sorted(found, key=lambda one: (one.standing, one.run), reverse=True):
        places.setdefault(entry.pos, []).append(entry)
    end = max(places, default=-1) + 1 if entries is None else entries
    picked: list[FoundEntry] = []
    outdated: set[int] = set()
    for pos in sorted((pos for pos in places if pos < end), reverse=True):
        above = picked[-1] if picked and picked[-1].pos == pos + 1 else None
        last = last_chain if pos + 1 == entries else None
        fitting = _fitting(places[pos], above, last)
        if above or last:
            outdated |= {one.file for one in places[pos] if not one.standing and one not in fitting}
        trusted = [one for one in places[pos] if one.standing >= least_standing and one.file not in outdated]
        if fitting or trusted:
            picked.append((fitting or trusted)[0])
    picked.reverse()
    while picked and (
        more := [one for one in places.get(picked[-1].pos + 1, ()) if _is_next(one, picked[-1])]
    ):
        picked.append(more[0])
    return picked


def _fitting(options: Sequence[FoundEntry], above: FoundEntry | None, chain: str | None) -> list[FoundEntry]:
    if above is not None:
        return [entry for entry in options if _is_next(above, entry)]
    return [entry for entry in options if entry.chain == chain]


def _is_next(entry: FoundEntry, before: FoundEntry) -> bool:
    """Tell whether an entry's chain is that of the one before, its line and its id hashed: see ``normalize``."""
    content = before.chain + entry.raw_sha256 + entry.entry_id
    return entry.chain == hashlib.sha256(content.encode()).hexdigest()[:_CHAIN_DIGITS]
