-- Whether an entry waits for an id.
-- engine: sqlite    params: $session (number), $entry_id
-- returns: awaited (0 or 1)
select exists (select 1 from awaited where session = $session and entry_id = $entry_id) as awaited;
