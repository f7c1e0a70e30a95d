-- The tool calls of an id before a place in the log, the nearest first.
-- engine: sqlite    params: $session (number), $call_id, $pos (place)
-- returns: call_id, pos, segment, position, label
select call_id, pos, segment, position, label
from calls
where session = $session and call_id = $call_id and pos < $pos
order by pos desc
limit 100;
