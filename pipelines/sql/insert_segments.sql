-- Add a segment.
-- engine: sqlite    params: $session, $segment, $parent_segment, $parent_position
-- returns: nothing
insert into segments (session, segment, parent_segment, parent_position)
values ($session, $segment, $parent_segment, $parent_position);
