-- Sessions as the companion has them.
-- engine: sqlite    params: none
-- returns: session_key, number, fingerprint, entries, branches, passages, explicit_passages, path, state, file_mtime_ns, file_ctime_ns
select
  session_key, number, fingerprint, entries, branches, passages, explicit_passages, path, state, file_mtime_ns,
  file_ctime_ns
from sessions
order by session_key;
