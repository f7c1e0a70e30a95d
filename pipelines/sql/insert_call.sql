-- Add a tool call; of several with one id in one entry the first counts.
-- engine: sqlite    params: session, call_id, pos, segment, position, label, in order
-- returns: nothing
insert or ignore into calls (session, call_id, pos, segment, position, label)
values (?, ?, ?, ?, ?, ?);
