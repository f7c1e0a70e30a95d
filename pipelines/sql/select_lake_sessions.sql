-- The lake's rows of all sessions, as a companion has them. Times are microseconds since 1970 UTC.
-- engine: sqlite    params: none
-- returns: project_key, session_key, source, session_id, path, project, parent_session, name, version,
--   started_at, last_at, leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars,
--   file_size, file_mtime_ns, file_ctime_ns, file_inode, lines, digest, fingerprint, state, indexed_at
select
  project_key, session_key, source, session_id, path, project, parent_session, name, version, started_at, last_at,
  leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars, file_size, file_mtime_ns,
  file_ctime_ns, file_inode, lines, digest, fingerprint, state, indexed_at
from sessions
order by session_key;
