-- Add a compaction.
-- engine: sqlite    params: $session, $pos, $kept_pos
-- returns: nothing
insert into compactions (session, pos, kept_pos)
values ($session, $pos, $kept_pos);
