-- All sessions, the newest first.
-- engine: sqlite    params: none
-- returns: session_key, session_id, source, path, project, name, leaf, entries, branches, compactions, started_at, last_at (microseconds since 1970 UTC), state
select
  session_key, session_id, source, path, project, name, leaf, entries, branches, compactions,
  started_at, last_at, state
from sessions
order by last_at desc, session_key;
