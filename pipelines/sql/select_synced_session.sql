-- The session of a log's path: the lake's row, and where its rows are.
-- engine: sqlite    params: $path
-- returns: number, session_key, project_key, session_id, source, path, project, parent_session, name, version,
--   started_at, last_at, leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars,
--   file_size, file_mtime_ns, file_ctime_ns, file_inode, lines, digest, fingerprint, state, indexed_at,
--   passages, explicit_passages
select
  number, session_key, project_key, session_id, source, path, project, parent_session, name, version,
  started_at, last_at, leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars, file_size,
  file_mtime_ns, file_ctime_ns, file_inode, lines, digest, fingerprint, state, indexed_at, passages,
  explicit_passages
from sessions
where path = $path
order by state, number desc
limit 1;
