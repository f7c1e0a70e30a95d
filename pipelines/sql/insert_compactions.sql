-- Add a compaction.
-- engine: sqlite    params: session, pos, kept_pos, in order
-- returns: nothing
insert into compactions (session, pos, kept_pos)
values (?, ?, ?);
