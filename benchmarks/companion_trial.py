"""What each choice in the companion's schema costs: the index, its look-ups, the stored texts, writes and deletes.

All times are CPU times. ``--sessions K`` puts the measured session in the middle of a corpus of K equal ones.

    python benchmarks/companion_trial.py [--entries 5000] [--sessions 1] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw
import zstandard
from trial_texts import TextMaker, choose_terms, inflect

from uncompact.pipelines.index_text import index_text
from uncompact.pipelines.passage_codec import PassageCodec, train_dictionary
from uncompact.pipelines.sqlite import execute, execute_many, rows, set_pragma, value

_CHOSEN = "content='', contentless_delete=1, detail=none"
_DEFAULT_HASH = 1 << 20
_LARGE_HASH = 16 << 20
_PAGE_BYTES = 8192
_BUILD_PASSAGES = 75_000  # variants of the index are built from so many passages at most
_REQUESTS = 200
_MOST_APPENDS = 1000
_NEIGHBOUR_ENTRIES = 5000

_POSTINGS = "select group_concat(rowid) from words where words match ? and rowid between ? and ?"
_FILTERED = (
    f"{_POSTINGS} and rowid <="
    " (select last from ranges where first <= words.rowid order by first desc limit 1)"
)
_JOINED = (
    "select group_concat(words.rowid) from ranges cross join words"
    " where words match ? and words.rowid between ranges.first and ranges.last"
)
_BEST = "select rowid from words where words match ? order by bm25(words) limit 50"
_COUNT_THE = "select count(*) from words where words match 'the' and rowid between ? and ?"
_USED_PAGES = "select page_count - freelist_count from pragma_page_count, pragma_freelist_count"

_VARIANTS = {  # options, hash size, stemmer
    "bare FTS5": ("detail=full", _DEFAULT_HASH, ""),
    "detail=full": ("content='', contentless_delete=1, detail=full", _LARGE_HASH, ""),
    "detail=column": ("content='', contentless_delete=1, detail=column", _LARGE_HASH, ""),
    "detail=none, default hashsize": (_CHOSEN, _DEFAULT_HASH, ""),
    "detail=none": (_CHOSEN, _LARGE_HASH, ""),
    "detail=none, no contentless_delete": ("content='', detail=none", _LARGE_HASH, ""),
    "detail=none, columnsize=0": ("content='', detail=none, columnsize=0", _LARGE_HASH, ""),
    "detail=none, porter": (_CHOSEN, _LARGE_HASH, "porter "),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; ``p95`` is there where ``figure`` is a median of many different calls."""

    section: str
    name: str
    figure: float
    unit: str
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The measured session, and words that are rare, middling and common in it."""

    connection: apsw.Connection
    bounds: tuple[int, int]
    terms: dict[str, list[str]]

    def look_up(self, section: str, name: str, matches: Sequence[str], sql: str = _POSTINGS) -> Figure:
        """Time a query for each match text, warm."""
        bounds = self.bounds if sql.count("?") == 3 else ()

        for match in matches:
            value(self.connection, sql, (match, *bounds))
        times = [_cpu_ms(value, self.connection, sql, (match, *bounds)) for match in matches]
        return _figure(section, name, times)


def measure(entries: int, sessions: int, folder: Path) -> list[Figure]:
    """Make the texts, load them, and measure every section."""
    maker = TextMaker(1, names=20_000 + entries * sessions // 8)
    number = sessions // 2 + 1
    texts: list[str] = []
    connection = _open(folder / "corpus.db", _CHOSEN, _LARGE_HASH)
    for current in range(1, sessions + 1):
        made = [piece for entry in range(entries) for piece in maker.passages(entry)]
        _insert(connection, current << 32, map(index_text, made))
        texts = made if current == number else texts
    _optimize(connection)
    first = number << 32
    session = Session(connection, (first, first + len(texts) - 1), choose_terms(texts))
    sample = texts[:_BUILD_PASSAGES]
    return [
        *_build_figures(sample, folder),
        *_lookup_figures(session),
        *_fetch_figures(session),
        *_text_figures(sample),
        *_write_figures(session, maker, entries, (sessions + 1) << 32),
    ]


def _build_figures(texts: list[str], folder: Path) -> Iterator[Figure]:
    size = _size(texts)
    yield Figure("build", "texts", size / 1e6, "MB")
    yield _speed("build", "prepared index text", size, list, map(index_text, texts))
    prepared = [index_text(text) for text in texts]
    for number, (name, (options, hash_bytes, stemmer)) in enumerate(_VARIANTS.items()):
        given = texts if name == "bare FTS5" else prepared
        connection = _open(folder / f"variant-{number}.db", options, hash_bytes, stemmer)
        yield _speed("build", name, size, _insert, connection, 0, given)
        yield Figure("build", f"{name}: optimize", _cpu_ms(_optimize, connection), "ms")
        yield Figure("build", f"{name}: size", value(connection, _USED_PAGES) * _PAGE_BYTES / size, "of text")
        connection.close()


def _lookup_figures(session: Session) -> Iterator[Figure]:
    execute(session.connection, "create temp table ranges (first integer primary key, last integer)")
    for frequency, terms in session.terms.items():
        yield session.look_up("look-up", f"{frequency}: between", terms)
        for count in (1, 10, 300):
            _set_ranges(session, count)
            yield session.look_up("look-up", f"{frequency}: {count} ranges joined", terms, _JOINED)
            yield session.look_up("look-up", f"{frequency}: {count} ranges filtered", terms, _FILTERED)
        yield session.look_up("look-up", f"{frequency}: bm25 over the corpus", terms[:20], _BEST)
    rare, middling, common = (itertools.cycle(terms) for terms in session.terms.values())
    combined: dict[str, Callable[[], str]] = {
        "middling AND middling": lambda: f"{next(middling)} AND {next(middling)}",
        "rare AND common": lambda: f"{next(rare)} AND {next(common)}",
        "common AND common AND middling": lambda: f"{next(common)} AND {next(common)} AND {next(middling)}",
        "common NOT middling": lambda: f"{next(common)} NOT {next(middling)}",
        "common AND (6 rare ORed)": lambda: f"{next(common)} AND ({' OR '.join(itertools.islice(rare, 6))})",
        "middling OR 11 inflections": lambda: " OR ".join(inflect(next(middling))),
    }
    for name, make in combined.items():
        yield session.look_up("look-up", name, [make() for _ in range(_REQUESTS)])


def _fetch_figures(session: Session) -> Iterator[Figure]:
    arrow, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    connection, arguments = session.connection, (session.terms["common"][0], *session.bounds)
    plain = _POSTINGS.replace("group_concat(rowid)", "rowid")

    def split() -> Any:
        joined = arrow.scalar(value(connection, _POSTINGS, arguments))
        return compute.cast(compute.split_pattern(joined, ",").values, arrow.int64())

    ways: dict[str, Callable[[], Any]] = {
        "count(*)": lambda: value(
            connection, _POSTINGS.replace("group_concat(rowid)", "count(*)"), arguments
        ),
        "tuples": lambda: list(rows(connection, plain, arguments)),
        "tuples to arrow": lambda: arrow.array([row for (row,) in rows(connection, plain, arguments)]),
        "group_concat": lambda: value(connection, _POSTINGS, arguments),
        "group_concat to arrow": split,
    }
    yield Figure("fetch", "postings of the commonest term", len(split()), "rows")
    for name, way in ways.items():
        yield Figure("fetch", name, statistics.median(_cpu_ms(way) for _ in range(9)), "ms")


def _text_figures(texts: list[str]) -> Iterator[Figure]:
    size = _size(texts)
    bare = zstandard.ZstdCompressor(level=1)
    trained = PassageCodec(train_dictionary([text.encode() for text in texts]))
    window = "".join(texts[-40:]).encode()[-32_768:]

    def deflate(text: str) -> bytes:
        stream = zlib.compressobj(1, zdict=window)
        return stream.compress(text.encode()) + stream.flush()

    def inflate(packed: bytes) -> bytes:
        return zlib.decompressobj(zdict=window).decompress(packed)

    codecs: dict[str, tuple[Callable[[str], bytes], Callable[[bytes], Any]]] = {
        "plain": (str.encode, bytes.decode),
        "zlib 1": (lambda text: zlib.compress(text.encode(), 1), zlib.decompress),
        "zlib 1, preset dictionary": (deflate, inflate),
        "zstd 1": (lambda text: bare.compress(text.encode()), zstandard.ZstdDecompressor().decompress),
        "zstd 3, trained dictionary": (trained.pack, trained.unpack),
    }
    for name, (pack, unpack) in codecs.items():
        yield _speed("texts", name, size, list, map(pack, texts))
        packed = [pack(text) for text in texts]
        yield Figure("texts", f"{name}: size", sum(map(len, packed)) / size, "of text")
        elapsed = _cpu_ms(list, map(unpack, random.Random(1).choices(packed, k=200)))
        yield Figure("texts", f"{name}: unpack 200", elapsed, "ms")


def _write_figures(session: Session, maker: TextMaker, entries: int, neighbour: int) -> Iterator[Figure]:
    connection, row = session.connection, session.bounds[1] + 1
    kinds = {kind: session.terms[kind] for kind in ("middling", "common")}
    times: list[float] = []
    for entry in range(min(entries, _MOST_APPENDS)):
        new = [index_text(piece) for piece in maker.passages(entry)]
        times.append(_cpu_ms(_insert, connection, row, new))
        row += len(new)
    yield _figure("writes", "append an entry", times)
    yield from (session.look_up("writes", f"{kind}: after the appends", kinds[kind]) for kind in kinds)
    beside_entries = range(min(entries, _NEIGHBOUR_ENTRIES))
    beside = [index_text(piece) for entry in beside_entries for piece in maker.passages(entry)]
    bounds = (neighbour, neighbour + len(beside) - 1)
    yield Figure("writes", "insert a session", _cpu_ms(_insert, connection, neighbour, beside), "ms")
    yield Figure("writes", "optimize", _cpu_ms(_optimize, connection), "ms")
    yield from (session.look_up("writes", f"{kind}: optimized", kinds[kind]) for kind in kinds)
    delete = "delete from words where rowid between ? and ?"
    yield Figure("writes", "delete them", _cpu_ms(execute, connection, delete, bounds), "ms")
    yield Figure("writes", "their postings of `the`, deleted", value(connection, _COUNT_THE, bounds), "rows")
    yield from (session.look_up("writes", f"{kind}: after the delete", kinds[kind]) for kind in kinds)
    _insert(connection, neighbour, beside)
    execute(connection, "insert into words (words) values ('integrity-check')")
    yield Figure("writes", "their postings of `the`, again", value(connection, _COUNT_THE, bounds), "rows")
    held = sum(1 for text in beside if re.search(r"(?<![^\W_])the(?![^\W_])", text, re.IGNORECASE))
    yield Figure("writes", "their passages with `the`", held, "rows")
    yield Figure("writes", "optimize with deleted rows", _cpu_ms(_optimize, connection), "ms")


def _open(path: Path, options: str, hash_bytes: int, stemmer: str = "") -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for name, setting in (("page_size", _PAGE_BYTES), ("journal_mode", "off"), ("synchronous", 0)):
        set_pragma(connection, name, setting)
    tokenizer = f"{stemmer}unicode61 remove_diacritics 2"
    execute(connection, f'create virtual table words using fts5 (body, {options}, tokenize="{tokenizer}")')
    execute(connection, "insert into words (words, rank) values ('hashsize', ?)", (hash_bytes,))
    return connection


def _insert(connection: apsw.Connection, first: int, texts: Iterable[str]) -> None:
    with connection:
        execute_many(connection, "insert into words (rowid, body) values (?, ?)", enumerate(texts, first))


def _optimize(connection: apsw.Connection) -> None:
    execute(connection, "insert into words (words) values ('optimize')")


def _set_ranges(session: Session, count: int) -> None:
    """Take ``count`` ranges, each three quarters of its share of the session; one range is all of it."""
    first, last = session.bounds
    step = max((last - first + 1) // count, 1)
    starts = range(first, last + 1, step)[:count]
    execute(session.connection, "delete from temp.ranges")
    ends = ((start, last if count == 1 else start + step * 3 // 4) for start in starts)
    execute_many(session.connection, "insert into temp.ranges values (?, ?)", ends)


def _cpu_ms(call: Callable[..., object], *arguments: object) -> float:
    start = time.process_time_ns()
    call(*arguments)
    return (time.process_time_ns() - start) / 1e6


def _speed(section: str, name: str, size: int, call: Callable[..., object], *arguments: object) -> Figure:
    return Figure(section, name, size / 1e3 / max(_cpu_ms(call, *arguments), 1e-6), "MB/s")


def _figure(section: str, name: str, times: Sequence[float]) -> Figure:
    ordered = sorted(times)
    return Figure(section, name, statistics.median(ordered), "ms", ordered[int(len(ordered) * 0.95)])


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(description="Measure the choices in the companion's schema.")
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.entries, options.sessions, Path(folder))
    for line in figures:
        p95 = "" if line.p95 is None else f"   p95 {line.p95:.3f}"
        print(f"{line.section:8} {line.name:38} {line.figure:11.3f} {line.unit}{p95}")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in figures], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
