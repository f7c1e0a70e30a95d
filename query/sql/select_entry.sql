-- The entry of an id: of several lines with it, the one that is on the tree, else the last.
-- engine: sqlite    params: $session (number), $entry_id
-- returns: id, segment (-1 when on no branch), position
select id, segment, position
from entries
where session = $session and entry_id = $entry_id
order by segment >= 0 desc, id desc
limit 1;
