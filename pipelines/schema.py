"""The lake's tables: every column's name, type, unit and meaning, in one place that code and documents share.

``python -m uncompact.pipelines.schema`` prints SCHEMA.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

__all__ = ["LAKE_VERSION", "PARTITION", "TABLES", "Column", "Table", "render_schema"]

# Raise it when a table's columns change: a reader refuses a newer lake, and an older one is built anew.
LAKE_VERSION = 2

# Every table is partitioned by it. A working directory can be too long or too strange for a folder's name.
PARTITION = "project_key"

_TIME = pl.Datetime("us", "UTC")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``meaning`` gives the unit where there is one; a ``required`` one is never null."""

    name: str
    dtype: pl.DataType | type[pl.DataType]
    meaning: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``row`` says what one row is, ``order`` the columns its rows are sorted by in a file."""

    name: str
    row: str
    order: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pl.Schema:
        """The Polars schema, in column order."""
        return pl.Schema({column.name: column.dtype for column in self.columns})


def _table(name: str, row: str, order: tuple[str, ...], *columns: Column) -> Table:
    key = (
        Column(
            "project_key", pl.String, "partition: readable part and hash of the session's working directory"
        ),
        Column("session_key", pl.String, "the log: 16 hex digits, from its source kind and path"),
    )
    return Table(name, row, ("session_key", *order), (*key, *columns))


_POS = Column("pos", pl.Int32, "the entry's place in its log, from 0")

SESSIONS = _table(
    "sessions",
    "one log file",
    (),
    Column("source", pl.String, "kind of log: `pi`"),
    Column("session_id", pl.String, "the agent's own id; forks and exports may share it"),
    Column("path", pl.String, "absolute path of the log; bytes that are not UTF-8 as U+FFFD"),
    Column("project", pl.String, "working directory the session belongs to; empty when the log names none"),
    Column("parent_session", pl.String, "path or id of the session it was forked from", required=False),
    Column("name", pl.String, "the session's title, the last one given", required=False),
    Column("version", pl.String, "format version the log's header states", required=False),
    Column("started_at", _TIME, "header's time", required=False),
    Column("last_at", _TIME, "latest time of any entry", required=False),
    Column(
        "leaf",
        pl.String,
        "entry id of the current leaf: the branch shown when the agent reopens it",
        required=False,
    ),
    Column("leaf_pos", pl.Int32, "place of that entry", required=False),
    Column("entries", pl.Int32, "number of entries"),
    Column("branches", pl.Int32, "number of leaves"),
    Column("compactions", pl.Int32, "number of compactions on any branch"),
    Column("rejects", pl.Int32, "number of lines that are no entry"),
    Column("bytes", pl.Int64, "bytes consumed: up to the last complete line"),
    Column("text_chars", pl.Int64, "characters of searchable text in all entries"),
    Column("file_size", pl.Int64, "bytes the file had when it was read"),
    Column("file_mtime_ns", pl.Int64, "modification time of the file, nanoseconds since 1970 UTC"),
    Column("file_ctime_ns", pl.Int64, "change time of the file, nanoseconds since 1970 UTC"),
    Column("file_inode", pl.Int64, "inode of the file"),
    Column("lines", pl.Int32, "lines consumed"),
    Column(
        "digest",
        pl.String,
        "32 hex digits over samples of the consumed bytes: tells an append from a rewrite",
    ),
    Column(
        "fingerprint",
        pl.String,
        "the last entry's chain: equal for logs whose entries have equal lines and ids",
    ),
    Column("state", pl.String, "`present` or `vanished` (the file is gone, its rows stay)"),
    Column("indexed_at", _TIME, "when these rows were written"),
)

ENTRIES = _table(
    "entries",
    "one line of a log that is an entry",
    ("pos",),
    _POS,
    Column(
        "entry_id",
        pl.String,
        "the agent's id of the entry, or a positional one (`v1:7`, `#7`) where the log has none",
    ),
    Column("raw_parent_id", pl.String, "parent as the log states it", required=False),
    Column("parent_id", pl.String, "effective parent: the entry this one continues", required=False),
    Column("type", pl.String, "kind of entry: `message`, `compaction`, `branch_summary`, ..."),
    Column(
        "role",
        pl.String,
        "role of a message: `user`, `assistant`, `toolResult`, `bashExecution`, ...",
        required=False,
    ),
    Column(
        "origin",
        pl.String,
        "who wrote the text: `human`, `injected`, `tool`, `model`, `summary`, `self` (our own output), `none`",
    ),
    Column("created_at", _TIME, "the entry's own time", required=False),
    Column("text", pl.String, "searchable text, whole; halves of surrogate pairs as U+FFFD"),
    Column(
        "text_hash",
        pl.String,
        "16 hex digits of the text with white space folded, ASCII letters in lower case: equal texts have equal hashes",
    ),
    Column(
        "tokens",
        pl.Int32,
        "estimate for the message: 8 + a quarter of its text's UTF-16 length + 1024 for each image",
    ),
    Column("images", pl.Int32, "images in the message, counted, not stored"),
    Column("tool_name", pl.String, "tool of a result", required=False),
    Column("call_id", pl.String, "tool call that a result answers", required=False),
    Column("is_error", pl.Boolean, "a tool result, shell run or model turn that failed"),
    Column(
        "never_sent",
        pl.Boolean,
        "kept from the model: a shell run excluded from context, a failed or aborted turn",
    ),
    Column("provider", pl.String, "model provider", required=False),
    Column("model", pl.String, "model", required=False),
    Column(
        "turn_group",
        pl.Int32,
        "place of the entry that opens the group: a tool call's results share the call's",
    ),
    Column(
        "copy_key",
        pl.String,
        "32 hex digits of id, kind and content (and time, where the log has no ids): equal for the copies that "
        "forks and exports make",
    ),
    Column(
        "on_tree",
        pl.Boolean,
        "false: on no branch (a later line took over its id, or it was recovered from a damaged line)",
    ),
    Column("gap", pl.Boolean, "true: its parent is in no line, or was cut to end a cycle"),
    Column("segment", pl.Int32, "tree label: run of entries of which each continues the one before"),
    Column("position", pl.Int32, "tree label: place in the segment, from 0"),
    Column("line", pl.Int32, "line in the log, from 1"),
    Column("byte_start", pl.Int64, "first byte of the line"),
    Column("byte_end", pl.Int64, "byte after the line, its 0x0A included"),
    Column("raw_sha256", pl.String, "SHA-256 of the line's bytes without its 0x0A"),
    Column(
        "chain",
        pl.String,
        "16 hex digits over the header and all entries up to here: equal chains, equal beginnings",
    ),
)

SEGMENTS = _table(
    "segments",
    "one segment of a session's tree",
    ("segment",),
    Column("segment", pl.Int32, "number of the segment"),
    Column("parent_segment", pl.Int32, "segment it leaves; null at a root", required=False),
    Column(
        "parent_position",
        pl.Int32,
        "place in that segment of the entry it continues; null at a root",
        required=False,
    ),
)

COMPACTIONS = _table(
    "compactions",
    "one compaction",
    ("pos",),
    _POS,
    Column("entry_id", pl.String, "the compaction's entry"),
    Column("tokens_before", pl.Int64, "context size before it, tokens", required=False),
    Column("summary_chars", pl.Int32, "characters of its summary"),
    Column("from_hook", pl.Boolean, "an extension wrote the summary"),
    Column("keeps_system", pl.Boolean, "it carries the system message on"),
)

COMPACTION_KEEPS = _table(
    "compaction_keeps",
    "one thing that a compaction kept",
    ("pos", "kept_pos"),
    Column("pos", pl.Int32, "place of the compaction"),
    Column("kind", pl.String, "`from`: this entry and all after it on the branch; `entry`: this entry"),
    Column("kept_id", pl.String, "entry id as the log states it"),
    Column("kept_pos", pl.Int32, "place of that entry; null when no line has the id", required=False),
)

CONTEXT_EDITS = _table(
    "context_edits",
    "one edit of what the model sees of an entry",
    ("pos",),
    _POS,
    Column("entry_id", pl.String, "the edit's entry"),
    Column("kind", pl.String, "`edit` (Pi); other agents: `rollback`, `prune`, `revert`"),
    Column("target_id", pl.String, "entry id as the log states it"),
    Column("target_pos", pl.Int32, "place of that entry; null when no line has the id", required=False),
    Column("removes", pl.Boolean, "true: nothing of the entry is shown; false: other content is"),
)

BRANCH_SUMMARIES = _table(
    "branch_summaries",
    "one summary of a branch that was left",
    ("pos",),
    _POS,
    Column("entry_id", pl.String, "the summary's entry"),
    Column("from_id", pl.String, "leaf of the branch that was left; `root` for none", required=False),
    Column("summary_chars", pl.Int32, "characters of the summary"),
)

TOOL_CALLS = _table(
    "tool_calls",
    "one tool call",
    ("pos", "ordinal"),
    _POS,
    Column("ordinal", pl.Int32, "place of the call in its message, from 0"),
    Column("call_id", pl.String, "id its result refers to", required=False),
    Column("name", pl.String, "tool"),
    Column("arguments", pl.String, "arguments as readable text, one `name: value` a line"),
    Column("path", pl.String, "file the arguments name", required=False),
    Column("command", pl.String, "command line the arguments name", required=False),
)

USAGE = _table(
    "usage",
    "what one model call used",
    ("pos",),
    _POS,
    Column("kind", pl.String, "`turn`, `compaction`, `branch_summary`, or the log's own word"),
    Column("provider", pl.String, "model provider", required=False),
    Column("model", pl.String, "model", required=False),
    Column("input_tokens", pl.Int64, "tokens read anew"),
    Column("output_tokens", pl.Int64, "tokens written"),
    Column("cache_read_tokens", pl.Int64, "tokens read from the provider's cache"),
    Column("cache_write_tokens", pl.Int64, "tokens written to it"),
    Column("cost_usd", pl.Float64, "cost the log states, US dollars"),
)

REJECTS = _table(
    "rejects",
    "one line, or part of a line, that is no entry",
    ("line",),
    Column("line", pl.Int32, "line in the log, from 1"),
    Column("byte_start", pl.Int64, "first byte of the line"),
    Column("byte_end", pl.Int64, "byte after the line"),
    Column("reason", pl.String, "`not-json`, `not-an-object`, `welded`: never the text"),
)

COPIES = _table(
    "copies",
    "one entry that repeats one of an earlier session: every sum over entries or usage leaves these out",
    ("pos",),
    _POS,
    Column(
        "first_session_key",
        pl.String,
        "the session that has it first: the one that started earliest, then by session id and key",
    ),
    Column("first_pos", pl.Int32, "place of the entry there"),
)

# In the order a run commits them: sessions last, because its commit names the versions of the others, and copies
# after the entries they are found in.
TABLES = {
    table.name: table
    for table in (
        ENTRIES,
        SEGMENTS,
        COMPACTIONS,
        COMPACTION_KEEPS,
        CONTEXT_EDITS,
        BRANCH_SUMMARIES,
        TOOL_CALLS,
        USAGE,
        REJECTS,
        COPIES,
        SESSIONS,
    )
}


def render_schema() -> str:
    """Write the tables as Markdown."""
    lines = [
        "# The lake's tables",
        "",
        "Delta tables (Parquet files with a transaction log) under `<store>/lake/`, one folder a table, partitioned by",
        f"`{PARTITION}`. Lake version {LAKE_VERSION}. Times are UTC. This page is printed by `python -m uncompact.pipelines.schema`.",
    ]
    for table in TABLES.values():
        lines += [
            "",
            f"## `{table.name}`",
            "",
            f"One row: {table.row}. Sorted by {', '.join(table.order)}.",
            "",
        ]
        lines += ["| column | type | null | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{column.name}` | {_type_name(column.dtype)} | {'' if column.required else 'yes'} | {column.meaning} |"
            for column in table.columns
        ]
    return "\n".join(lines) + "\n"


def _type_name(dtype: pl.DataType | type[pl.DataType]) -> str:
    return "timestamp (µs, UTC)" if dtype == _TIME else str(dtype)


if __name__ == "__main__":
    print(render_schema(), end="")
