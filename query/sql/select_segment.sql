-- Where a segment leaves another.
-- engine: sqlite    params: $session (number), $segment
-- returns: parent_segment, parent_position (both null at a root)
select parent_segment, parent_position
from segments
where session = $session and segment = $segment;
