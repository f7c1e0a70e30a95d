-- Add a segment.
-- engine: sqlite    params: session, segment, parent_segment, parent_position, in order
-- returns: nothing
insert into segments (session, segment, parent_segment, parent_position)
values (?, ?, ?, ?);
