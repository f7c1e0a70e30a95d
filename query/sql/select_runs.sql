-- Stretches of the log in which a segment's positions from one to another stand.
-- engine: sqlite    params: $session (number), $segment, $first, $last (positions, both included)
-- returns: first_pos, last_pos (places in the log, both included), in order
select
  first_pos + max($first - first_position, 0) as first_pos,
  first_pos + min($last - first_position, length - 1) as last_pos
from runs
where session = $session and segment = $segment and first_position <= $last and first_position + length > $first
order by first_position;
