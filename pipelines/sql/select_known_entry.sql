-- The entry of an id that is on the tree.
-- engine: sqlite    params: $session (number), $entry_id
-- returns: id, segment, position
select id, segment, position
from entries
where session = $session and entry_id = $entry_id and segment >= 0
order by id desc
limit 1;
