"""Passages to compressed bytes and back: zstd, with a dictionary trained on the store's own texts.

A passage of 1,200 characters alone compresses to about half, with a dictionary to about a third, at four times the
speed of zlib (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import zstandard

__all__ = ["PassageCodec", "train_dictionary"]

# With a dictionary level 3 costs what level 1 does, and packs closer.
_LEVEL = 3
_DICTIONARY_BYTES = 32 * 1024
_SAMPLES = 500
# Together they are packed faster, but a call takes the dictionary up anew.
_MANY_PASSAGES = 100
_FEWEST_SAMPLES = 100


class PassageCodec:
    """Packs and unpacks passages; what was packed without a dictionary is unpacked with any."""

    def __init__(self, dictionary: bytes | None = None) -> None:
        trained: Any = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        # Without the checksum a damaged dictionary gives other texts and no error.
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=trained, write_checksum=True)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=trained)

    def pack(self, text: str) -> bytes:
        """Compress a passage."""
        return self._compressor.compress(text.encode())

    def pack_all(self, passages: Sequence[bytes]) -> Iterable[bytes | memoryview]:
        """Compress passages in UTF-8, in order; what comes back is bytes to SQLite, though not ``bytes``."""
        if len(passages) < _MANY_PASSAGES:
            return map(self._compressor.compress, passages)
        untyped: Any = self._compressor
        packed: Iterable[memoryview] = untyped.multi_compress_to_buffer(passages)
        return packed

    def unpack(self, packed: bytes) -> str:
        """Decompress a passage. Raises ``zstandard.ZstdError`` when the bytes are damaged."""
        return self._decompressor.decompress(packed).decode()


def train_dictionary(passages: Sequence[bytes]) -> bytes | None:
    """Train a dictionary on up to 500 passages in UTF-8, evenly taken; ``None`` when there are too few to gain by it."""
    if len(passages) < _FEWEST_SAMPLES:
        return None
    step = max(len(passages) // _SAMPLES, 1)
    samples: Any = passages[::step][:_SAMPLES]
    try:
        return zstandard.train_dictionary(_DICTIONARY_BYTES, samples).as_bytes()
    except zstandard.ZstdError:
        return None
