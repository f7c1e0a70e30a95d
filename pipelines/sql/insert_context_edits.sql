-- Add a context edit.
-- engine: sqlite    params: session, pos, target_pos, removes, in order
-- returns: nothing
insert into context_edits (session, pos, target_pos, removes)
values (?, ?, ?, ?);
