-- Add a tool call; of several with one id the first counts.
-- engine: sqlite    params: session, call_id, pos, label, in order
-- returns: nothing
insert or ignore into calls (session, call_id, pos, label)
values (?, ?, ?, ?);
