-- The label of a tool call that stands before its result.
-- engine: sqlite    params: $session (number), $call_id, $pos (place of the result)
-- returns: label
select label
from calls
where session = $session and call_id = $call_id and pos < $pos;
