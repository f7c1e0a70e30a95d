-- Number of passages of a range in which a term's words stand.
-- engine: sqlite    params: $match (FTS5 query text), $first, $last (passage ids, both included)
-- returns: passages
select count(*) as passages
from words
where words match $match and rowid between $first and $last;
