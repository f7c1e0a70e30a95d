-- Tables of the full-text companion. Disposable: everything here is loaded from the lake.
-- engine: sqlite    params: none
-- returns: nothing
--
-- Rows of a session stand in one contiguous range: id = session number << 32 | n. Entries count n in file order.
-- Of the passages, those that automatic retrieval may use count n from 0 in file order, the others from 1 << 31.
create table meta (name text primary key, value blob not null) without rowid;

-- The lake's row, and where the session's rows are here. Times are microseconds since 1970 UTC.
create table sessions (
  number integer primary key,
  session_key text not null unique,
  project_key text not null,
  session_id text not null,
  source text not null,
  path text not null,
  project text not null,
  parent_session text,
  name text,
  version text,
  started_at integer,
  last_at integer,
  leaf text,
  leaf_pos integer,
  entries integer not null,
  branches integer not null,
  compactions integer not null,
  rejects integer not null,
  bytes integer not null,
  text_chars integer not null,
  file_size integer not null,
  file_mtime_ns integer not null,
  file_ctime_ns integer not null,
  file_inode integer not null,
  lines integer not null,
  digest text not null,
  fingerprint text not null,
  state text not null,
  indexed_at integer not null,
  passages integer not null,           -- those for automatic retrieval
  explicit_passages integer not null   -- those for explicit history tools and search only
);
create index sessions_by_id on sessions (session_id);
create index sessions_by_path on sessions (path);

create table entries (
  id integer primary key,
  session integer not null,
  entry_id text not null,
  type text not null,
  role text,
  created_at integer,
  tokens integer not null,
  text_hash text not null,
  text_chars integer not null,
  turn_group integer not null,
  label text not null,             -- tool and path or command of the call that an entry makes or answers
  segment integer not null,
  position integer not null,
  next_passage integer not null,   -- first passage for automatic retrieval of this entry or a later one
  first_passage integer not null,
  passages integer not null
);
create index entries_by_id on entries (session, entry_id);

-- Stretches of a segment whose entries stand one after the other in the log.
create table runs (
  session integer not null,
  segment integer not null,
  first_position integer not null,
  first_pos integer not null,
  length integer not null,
  primary key (session, segment, first_position)
) without rowid;

create table segments (
  session integer not null,
  segment integer not null,
  parent_segment integer,
  parent_position integer,
  primary key (session, segment)
) without rowid;

create table compactions (
  session integer not null,
  pos integer not null,
  kept_pos integer,
  primary key (session, pos)
) without rowid;

-- Tool calls by their id, which several may have: what a result is labelled with.
create table calls (
  session integer not null,
  call_id text not null,
  pos integer not null,
  segment integer not null,
  position integer not null,
  label text not null,
  primary key (session, call_id, pos)
) without rowid;

-- Ids that an entry names (as its parent, as kept, as edited) although no line has them.
create table awaited (
  session integer not null,
  entry_id text not null,
  primary key (session, entry_id)
) without rowid;

create table context_edits (
  session integer not null,
  pos integer not null,
  target_pos integer,
  removes integer not null,
  primary key (session, pos)
) without rowid;

create table passages (
  id integer primary key,
  pos integer not null,
  start integer not null,
  body blob not null
);

-- Contentless: the words come from prepared text, the text itself stands compressed in passages. Nothing is deleted
-- from it: a single deletion makes every look-up of every session probe a table of tombstones (benchmarks/README.md).
-- A session that is loaded anew gets a new number; what its old rows left here is never looked at, and goes when the
-- companion is built anew.
create virtual table words using fts5 (
  body,
  content = '',
  columnsize = 0,
  detail = none,
  tokenize = "unicode61 remove_diacritics 2"
);

-- A larger buffer before words are written out makes a bulk load half as fast again (benchmarks/README.md).
insert into words (words, rank) values ('hashsize', 33554432);
