-- Add a stretch of a segment.
-- engine: sqlite    params: session, segment, first_position, first_pos, length, in order
-- returns: nothing
insert into runs (session, segment, first_position, first_pos, length)
values (?, ?, ?, ?, ?);
