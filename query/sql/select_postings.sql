-- Passages of a range in which a term's words stand, as one text: cheaper to read than a row each.
-- engine: sqlite    params: $match (FTS5 query text), $first, $last (passage ids, both included), $most (rows)
-- returns: passages (ids with commas between, or null)
select group_concat(rowid) as passages
from (
  select rowid
  from words
  where words match $match and rowid between $first and $last
  limit $most
);
