-- The entry that a segment continues: nulls at a root.
-- engine: sqlite    params: $session (number), $segment
-- returns: parent_segment, parent_position
select parent_segment, parent_position
from segments
where session = $session and segment = $segment;
