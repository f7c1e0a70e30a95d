"""Passages to compressed bytes and back: zstd, with a dictionary trained on the store's own texts.

A passage of 1,200 characters alone compresses to about half, with a dictionary to about a third, at four times the
speed of zlib (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import zstandard

__all__ = ["PassageCodec", "train_dictionary"]

_LEVEL = 1
_DICTIONARY_BYTES = 16 * 1024
_SAMPLES = 500
_FEWEST_SAMPLES = 100


class PassageCodec:
    """Packs and unpacks passages; what was packed without a dictionary is unpacked with any."""

    def __init__(self, dictionary: bytes | None = None) -> None:
        trained: Any = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=trained)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=trained)

    def pack(self, text: str) -> bytes:
        """Compress a passage."""
        return self._compressor.compress(text.encode())

    def unpack(self, packed: bytes) -> str:
        """Decompress a passage. Raises ``zstandard.ZstdError`` when the bytes are damaged."""
        return self._decompressor.decompress(packed).decode()


def train_dictionary(passages: Sequence[str]) -> bytes | None:
    """Train a dictionary on up to 500 passages, evenly taken; ``None`` when there are too few to gain anything."""
    if len(passages) < _FEWEST_SAMPLES:
        return None
    step = max(len(passages) // _SAMPLES, 1)
    samples: Any = [passage.encode() for passage in passages[::step][:_SAMPLES]]
    try:
        return zstandard.train_dictionary(_DICTIONARY_BYTES, samples).as_bytes()
    except zstandard.ZstdError:
        return None
