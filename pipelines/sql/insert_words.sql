-- Add a passage to the word index.
-- engine: sqlite    params: rowid, prepared text, in order
-- returns: nothing
insert into words (rowid, body)
values (?, cast(? as text));
