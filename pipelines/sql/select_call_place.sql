-- The place of the first entry that made a tool call of an id.
-- engine: sqlite    params: $session (number), $call_id
-- returns: pos
select pos
from calls
where session = $session and call_id = $call_id
order by pos
limit 1;
