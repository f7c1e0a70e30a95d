-- What a companion's sessions add up to.
-- engine: sqlite    params: none
-- returns: passages, last_number (0 without sessions)
select
  coalesce(sum(passages + explicit_passages), 0) as passages,
  coalesce(max(number), 0) as last_number
from sessions;
