-- Add an entry.
-- engine: sqlite    params: the columns, in order
-- returns: nothing
insert into entries (
  id, session, entry_id, type, role, created_at, tokens, text_hash, text_chars, turn_group, label,
  segment, position, next_passage, first_passage, passages
)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
