-- Passages with their entries, in the order asked for.
-- engine: sqlite    params: $ids (JSON list of passage ids), $base (the session's first row id)
-- returns: passage, entry (row id), entry_id, role, created_at (microseconds since 1970 UTC), tokens, text_hash, segment, position, type, turn_group, first_passage, passages
select
  passage.id as passage, entry.id as entry, entry.entry_id, entry.role, entry.created_at, entry.tokens, entry.text_hash,
  entry.segment, entry.position, entry.type, entry.turn_group, entry.first_passage, entry.passages
from json_each($ids) as wanted
cross join passages as passage on passage.id = wanted.value
cross join entries as entry on entry.id = $base + passage.pos
order by wanted.key;
