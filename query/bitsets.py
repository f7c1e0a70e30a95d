"""Sets of places as the bits of one number, the lowest for place 0.

What 200,000 entries hold of a word takes 30 KB so, and sets of that size are joined and counted in microseconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from itertools import repeat

__all__ = ["ascending", "bits_of", "bits_of_ranges", "descending", "union"]

_NO, _YES = b"0", ord("1")
# So many ranges are joined quicker one by one: each is a number of the whole size.
_FEW = 50


def bits_of(places: Iterable[int], size: int) -> int:
    """Return the set of some places below ``size``, in any order."""
    digits = bytearray(_NO) * size
    # Nothing is wanted of the calls but to be made, one for each place.
    deque(map(digits.__setitem__, places, repeat(_YES)), maxlen=0)
    return _number_of(digits)


def bits_of_ranges(ranges: Collection[tuple[int, int]], size: int) -> int:
    """Return the set of the places below ``size`` in some ranges, both ends included."""
    spans = [(first, min(last + 1, size)) for first, last in ranges if first <= last and first < size]
    if len(spans) <= _FEW:
        return union(((1 << (stop - first)) - 1) << first for first, stop in spans)
    digits = bytearray(_NO) * size
    for first, stop in spans:
        digits[first:stop] = bytes((_YES,)) * (stop - first)
    return _number_of(digits)


def descending(bits: int) -> Iterator[int]:
    """Yield the places of a set, the highest first."""
    digits = f"{bits:b}"
    top = len(digits) - 1
    at = digits.find("1")
    while at >= 0:
        yield top - at
        at = digits.find("1", at + 1)


def ascending(bits: int) -> Iterator[int]:
    """Yield the places of a set, the lowest first."""
    digits = f"{bits:b}"
    top = len(digits) - 1
    at = digits.rfind("1")
    while at >= 0:
        yield top - at
        at = digits.rfind("1", 0, at)


def union(sets: Iterable[int]) -> int:
    """Join sets; of none the empty one."""
    joined = 0
    for bits in sets:
        joined |= bits
    return joined


def _number_of(digits: bytearray) -> int:
    """Read digits of which the first is the lowest; of a power of two Python reads any number, in linear time."""
    digits.reverse()
    return int(digits, 2) if digits else 0
