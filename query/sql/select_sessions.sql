-- Sessions whose key, id or path is the one asked for, the newest first.
-- engine: sqlite    params: $name (session key, session id, or absolute path of the log)
-- returns: number, session_key, session_id, path, project, leaf, passages, fingerprint
select number, session_key, session_id, path, project, leaf, passages, fingerprint
from sessions
where session_key = $name or session_id = $name or path = $name
order by last_at desc, session_key;
