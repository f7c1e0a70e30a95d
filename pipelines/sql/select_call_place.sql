-- The place of the entry that made a tool call.
-- engine: sqlite    params: $session (number), $call_id
-- returns: pos
select pos
from calls
where session = $session and call_id = $call_id;
