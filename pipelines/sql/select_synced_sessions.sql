-- Sessions as the companion has them, as far as forgetting needs to know them.
-- engine: sqlite    params: none
-- returns: session_key, project_key, session_id, source, path, project, last_at (microseconds since 1970 UTC), entries,
--   text_chars, file_size, file_mtime_ns, file_ctime_ns, file_inode, fingerprint, state
select
  session_key, project_key, session_id, source, path, project, last_at, entries, text_chars, file_size, file_mtime_ns,
  file_ctime_ns, file_inode, fingerprint, state
from sessions
order by session_key;
