-- The value of a counter.
-- engine: sqlite    params: $name
-- returns: value (null when it was never raised)
select value
from meta
where name = $name;
