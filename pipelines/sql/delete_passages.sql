-- Remove a session's passages.
-- engine: sqlite    params: $first, $end (row ids)
-- returns: nothing
delete from passages
where id >= $first and id < $end;
