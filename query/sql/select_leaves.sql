-- Entries that end a segment which nothing leaves from its end: the session's leaves, the latest first.
-- engine: sqlite    params: $first, $end (row ids of its entries)
-- returns: entry_id
with ends as (
  select segment, max(position) as position
  from entries
  where id >= $first and id < $end and segment >= 0
  group by segment
)
select entry.entry_id
from ends
join entries as entry
  on entry.id >= $first and entry.id < $end
  and entry.segment = ends.segment and entry.position = ends.position
order by entry.id desc;
