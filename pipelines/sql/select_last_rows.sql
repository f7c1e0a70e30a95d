-- Whether a session's last entry, its last passage of either kind and its segments are there.
-- engine: sqlite    params: $session (number)
-- returns: entry, passage, explicit_passage, segments (0 or 1; 1 where there should be none)
select
  entries = 0 or exists (
    select 1 from entries as one where one.id = (sessions.number << 32) + sessions.entries - 1
  ) as entry,
  passages = 0 or exists (
    select 1 from passages as one where one.id = (sessions.number << 32) + sessions.passages - 1
  ) as passage,
  explicit_passages = 0 or exists (
    select 1 from passages as one
    where one.id = (sessions.number << 32) + (1 << 31) + sessions.explicit_passages - 1
  ) as explicit_passage,
  branches = (select count(*) from segments where session = sessions.number) as segments
from sessions
where number = $session;
