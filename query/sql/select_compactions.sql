-- A session's compactions, with the tree labels of each and of the entry it keeps from.
-- engine: sqlite    params: $session (number), $base (its first row id)
-- returns: segment, position, kept_segment, kept_position (null when it keeps nothing)
select mark.segment, mark.position, kept.segment as kept_segment, kept.position as kept_position
from compactions
join entries as mark on mark.id = $base + compactions.pos and mark.segment >= 0
left join entries as kept on kept.id = $base + compactions.kept_pos and kept.segment >= 0
where compactions.session = $session
order by compactions.pos;
