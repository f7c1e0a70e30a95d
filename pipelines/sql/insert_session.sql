-- Add a session, or state it anew.
-- engine: sqlite    params: the columns:
--   $number, $session_key, $project_key, $session_id, $source, $path, $project, $parent_session, $name,
--   $version, $started_at, $last_at, $leaf, $leaf_pos, $entries, $branches, $compactions, $rejects, $bytes,
--   $text_chars, $file_size, $file_mtime_ns, $file_ctime_ns, $file_inode, $lines, $digest, $fingerprint,
--   $state, $indexed_at, $passages, $explicit_passages
-- returns: nothing
insert or replace into sessions (
  number, session_key, project_key, session_id, source, path, project, parent_session, name, version,
  started_at, last_at, leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars, file_size,
  file_mtime_ns, file_ctime_ns, file_inode, lines, digest, fingerprint, state, indexed_at, passages,
  explicit_passages
)
values (
  $number, $session_key, $project_key, $session_id, $source, $path, $project, $parent_session, $name, $version,
  $started_at, $last_at, $leaf, $leaf_pos, $entries, $branches, $compactions, $rejects, $bytes, $text_chars,
  $file_size, $file_mtime_ns, $file_ctime_ns, $file_inode, $lines, $digest, $fingerprint, $state, $indexed_at,
  $passages, $explicit_passages
);
