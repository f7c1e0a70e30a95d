-- Sessions whose rows are not as many as they state, and rows of sessions that are not there.
-- engine: sqlite    params: none
-- returns: session_key (null for sessions that are not there), what (kind of rows), stated, found
with entry_counts as (
  select session as number, count(*) as entries, count(*) filter (where segment >= 0) as on_tree
  from entries
  group by session
),
counts as (
  select number, 'entries' as what, entries as stated, 0 as found from sessions
  union all
  select number, 'entries', 0, entries from entry_counts
  union all
  select number, 'passages', passages + explicit_passages, 0 from sessions
  union all
  select id >> 32, 'passages', 0, count(*) from passages group by id >> 32
  union all
  select number, 'segments', branches, 0 from sessions
  union all
  select session, 'segments', 0, count(*) from segments group by session
  union all
  select number, 'places in segments', on_tree, 0 from entry_counts
  union all
  select session, 'places in segments', 0, sum(length) from runs group by session
),
wrong as (
  select number, what, sum(stated) as stated, sum(found) as found
  from counts
  group by number, what
  having sum(stated) <> sum(found)
)
select sessions.session_key, wrong.what, wrong.stated, wrong.found
from wrong
left join sessions on sessions.number = wrong.number
order by sessions.session_key, wrong.what, wrong.number;
