-- Sessions whose key, id or path is the one asked for or, where none is, whose key or id begins with it.
-- engine: sqlite    params: $name (session key, session id, or absolute path of the log, or the beginning of either)
-- returns: number, session_key, session_id, path, project, leaf, passages, fingerprint
with exact as (
  select number
  from sessions
  where session_key = $name or session_id = $name or path = $name
),
beginning as (
  select number
  from sessions
  where length($name) >= 4 and not exists (select 1 from exact)
    -- Ranges, which the indexes know: no character comes after the last one.
    and (
      (session_key >= $name and session_key < $name || char(1114111))
      or (session_id >= $name and session_id < $name || char(1114111))
    )
)
select number, session_key, session_id, path, project, leaf, passages, fingerprint
from sessions
where number in (select number from exact) or number in (select number from beginning)
order by last_at desc, session_key;
