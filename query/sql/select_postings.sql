-- Places of a range of passages in which a term's words stand, as one text: cheaper to read than a row each.
-- engine: sqlite    params: $match (FTS5 query text), $first, $last (passage ids, both included), $base (the id at place 0)
-- returns: places (numbers with commas between, or null)
select group_concat(rowid - $base) as places
from words
where words match $match and rowid between $first and $last;
