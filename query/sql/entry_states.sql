-- A session's entries in file order, each with its state for one leaf.
-- engine: duckdb    params: $files (Parquet files of the lake's entries), $session_key, $spans (list of structs: segment, first, last, state, drops_system: the branch, cut where the active context begins and ends), $edited (list of structs: segment, position)
-- returns: entry_id, parent_id, type, role, created_at (microseconds since 1970 UTC), state (in_context, compacted, edited_out, sibling, superseded), text_chars, line, segment (-1 when on no branch), position
with spans as (
  select span.segment, span.first, span.last, span.state, span.drops_system
  from unnest(
    $spans::struct(segment bigint, first bigint, last bigint, state varchar, drops_system boolean)[]
  ) as list(span)
),
edited as (
  select place.segment, place.position
  from unnest($edited::struct(segment bigint, position bigint)[]) as list(place)
),
mine as (
  select
    pos, entry_id, parent_id, type, role, epoch_us(created_at) as created_at, length(text) as text_chars,
    line, on_tree, segment, position
  from read_parquet($files, hive_partitioning = false)
  where session_key = $session_key
)
select
  entry.entry_id, entry.parent_id, entry.type, entry.role, entry.created_at,
  case
    when edited.segment is not null then 'edited_out'
    when span.drops_system and entry.type = 'message' and entry.role = 'system' then 'compacted'
    when span.segment is not null then span.state
    when not entry.on_tree and entry.entry_id in (select entry_id from mine where on_tree) then 'superseded'
    else 'sibling'
  end as state,
  entry.text_chars, entry.line, entry.segment, entry.position
from mine as entry
left join spans as span
  on span.segment = entry.segment and entry.position between span.first and span.last
left join edited on edited.segment = entry.segment and edited.position = entry.position
order by entry.pos;
