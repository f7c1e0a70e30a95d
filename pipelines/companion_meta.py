"""What a companion says of itself: its counters, the numbers given to sessions, and the codec of its passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from .companion_db import read_codec
from .passage_codec import PassageCodec, train_dictionary
from .passages import cut_encoded
from .sql_files import load_sql
from .sqlite import execute, value

__all__ = ["codec_for", "new_session_number", "raise_counter"]


def new_session_number(connection: apsw.Connection) -> int:
    """Return a number that no session had before: the word index still holds the rows of replaced ones."""
    raise_counter(connection, "last_session", 1)
    return int(value(connection, _sql("select_counter"), {"name": "last_session"}))


def codec_for(connection: apsw.Connection, entries: Iterable[Mapping[str, Sequence[Any]]]) -> PassageCodec:
    """Return the companion's codec.

    The first ``entries`` loaded into a new file, columns as a slice has them, train its dictionary, and it never
    changes: open readers hold it.
    """
    if value(connection, _sql("select_counter"), {"name": "loads"}) is None:
        texts = (
            pair for columns in entries for pair in zip(columns["text"], columns["text_chars"], strict=True)
        )
        dictionary = train_dictionary(
            [piece for text, chars in texts for _, piece in cut_encoded(text, chars)]
        )
        if dictionary:
            execute(connection, "insert into meta (name, value) values ('dictionary', ?)", (dictionary,))
        raise_counter(connection, "loads", 1)
    return read_codec(connection)


def raise_counter(connection: apsw.Connection, name: str, by: int) -> None:
    """Add to one of the companion's counters."""
    execute(connection, _sql("raise_counter"), {"name": name, "by": by})


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
