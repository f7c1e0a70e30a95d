-- Number of passages within certain ranges that match.
-- engine: sqlite    params: $match (FTS5 query text), $ranges (JSON list of [first, last] passage ids)
-- returns: passages
select count(*) as passages
from json_each($ranges) as range
cross join words
where words match $match and words.rowid between range.value ->> 0 and range.value ->> 1;
