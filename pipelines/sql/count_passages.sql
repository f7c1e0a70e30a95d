-- Number of a session's passages.
-- engine: sqlite    params: $first, $end (row ids: the session's first and the next session's first)
-- returns: passages
select count(*) as passages
from passages
where id >= $first and id < $end;
