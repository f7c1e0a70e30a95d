-- A session's segments, with where each leaves another.
-- engine: sqlite    params: $session (number)
-- returns: segment, parent_segment, parent_position (both null at a root)
select segment, parent_segment, parent_position
from segments
where session = $session
order by segment;
