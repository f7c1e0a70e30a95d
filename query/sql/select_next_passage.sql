-- First passage for automatic retrieval of an entry or a later one.
-- engine: sqlite    params: $id (row id of the entry)
-- returns: next_passage
select next_passage
from entries
where id = $id;
