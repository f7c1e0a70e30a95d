-- The position after the last entry of a segment.
-- engine: sqlite    params: $session (number), $segment
-- returns: end
select max(first_position + length) as end
from runs
where session = $session and segment = $segment;
