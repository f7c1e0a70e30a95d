-- A passage, when the word index has it for certain words.
-- engine: sqlite    params: $match (FTS5 query text), $passage (its id)
-- returns: passage
select rowid as passage
from words
where words match $match and rowid = $passage;
