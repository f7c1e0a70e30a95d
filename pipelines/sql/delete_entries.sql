-- Remove a session's entries.
-- engine: sqlite    params: $first, $end (row ids)
-- returns: nothing
delete from entries
where id >= $first and id < $end;
