-- Consecutive passages' texts.
-- engine: sqlite    params: $first, $last (passage ids, both included)
-- returns: start (offset in the entry's text), body (compressed), in order
select start, body
from passages
where id between $first and $last
order by id;
