-- Note an id that an entry waits for.
-- engine: sqlite    params: session, entry_id, in order
-- returns: nothing
insert or ignore into awaited (session, entry_id)
values (?, ?);
