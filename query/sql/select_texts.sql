-- Passages' texts, each with the label of its tool call.
-- engine: sqlite    params: $ids (JSON list of passage ids), $base (the session's first row id)
-- returns: passage, body (compressed), label
select passage.id as passage, passage.body, entry.label
from json_each($ids) as wanted
cross join passages as passage on passage.id = wanted.value
cross join entries as entry on entry.id = $base + passage.pos;
