"""The requests: different ones, the same in every run.

Not called ``requests``: run as a script, this folder comes first on the import path, where that name would hide the
library that others import.
"""

from __future__ import annotations

import random

from make_sessions import make_vocabulary, pick_words

__all__ = ["make_requests"]

_VOCABULARY_SEED = 1  # the one that sessions are made of
_WORDS = 5


def make_requests(count: int, seed: int) -> list[str]:
    """Make different natural questions, each with one identifier or file and five words of the sessions' vocabulary."""
    rng = random.Random(seed)
    words = make_vocabulary(_VOCABULARY_SEED)
    requests: dict[str, None] = {}
    while len(requests) < count:
        names = words.files if len(requests) % 3 == 0 else words.identifiers
        name = rng.choices(names, cum_weights=words.weights)[0]
        requests[f"Why did {name} {' '.join(pick_words(rng, _WORDS))}?"] = None
    return list(requests)
