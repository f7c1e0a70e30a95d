-- Add a passage: its text compressed.
-- engine: sqlite    params: id, pos, start, body, in order
-- returns: nothing
insert into passages (id, pos, start, body)
values (?, ?, ?, ?);
