-- Tree labels of the entries with certain ids.
-- engine: sqlite    params: $session (number), $entry_ids (JSON list of text)
-- returns: id, segment, position
select id, segment, position
from entries
where session = $session and entry_id in (select value from json_each($entry_ids)) and segment >= 0
order by id;
