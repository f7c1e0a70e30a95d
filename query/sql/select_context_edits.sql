-- A session's context edits, with the tree labels of each and of its target.
-- engine: sqlite    params: $session (number), $base (its first row id)
-- returns: segment, position, target_segment, target_position (null when no line has the id), removes (0 or 1)
select
  mark.segment, mark.position, target.segment as target_segment, target.position as target_position,
  context_edits.removes
from context_edits
join entries as mark on mark.id = $base + context_edits.pos and mark.segment >= 0
left join entries as target on target.id = $base + context_edits.target_pos and target.segment >= 0
where context_edits.session = $session
order by context_edits.pos;
