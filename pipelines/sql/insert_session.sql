-- Add a session.
-- engine: sqlite    params: $number, $session_key, $session_id, $source, $path, $project, $name, $leaf, $entries,
--   $branches, $compactions, $started_at, $last_at, $state, $passages, $fingerprint: the columns
-- returns: nothing
insert into sessions (
  number, session_key, session_id, source, path, project, name, leaf, entries, branches, compactions,
  started_at, last_at, state, passages, fingerprint
)
values (
  $number, $session_key, $session_id, $source, $path, $project, $name, $leaf, $entries, $branches, $compactions,
  $started_at, $last_at, $state, $passages, $fingerprint
);
