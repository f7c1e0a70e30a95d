-- Passages within the eligible ranges that hold all words of a term.
-- engine: sqlite    params: $match (FTS5 query text), $ranges (JSON list of [first, last] passage ids)
-- returns: passage, ascending within a range
select words.rowid as passage
from json_each($ranges) as range
cross join words
where words match $match and words.rowid between range.value ->> 0 and range.value ->> 1;
