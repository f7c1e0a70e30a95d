-- Entries ranked by the documented table, each by its best passage; of equal texts the first in order.
-- engine: duckdb    params: $most (largest lexical), $oldest, $newest (times of the candidates that earn recency,
--   microseconds since 1970 UTC)
-- reads: candidates (passage, entry, entry_id, role, created_at, tokens, text_hash, segment, position, and the numbers
--   of its verified matches: terms, identifiers, phrases, files, symbols, errors, and lexical, the sum of their weights),
--   removed (segment, first, last)
-- returns: passage, entry, tier (2 literal identifier, 1 literal phrase, 0 other), score, exact, phrase, fts, extra_matches,
--   branch, files, symbols, errors, authority, recency, length, copy (0, or how many passages of the entry or of equal
--   texts stand before it)
with components as (
  select
    one.passage,
    one.entry,
    one.entry_id,
    one.created_at,
    one.text_hash,
    case when one.identifiers > 0 then 2 when one.phrases > 0 then 1 else 0 end as tier,
    if(one.identifiers > 0, 100e0 + least(12, 3 * (one.identifiers - 1)), 0e0) as exact,
    if(one.phrases > 0, 85e0 + least(8, 2 * (one.phrases - 1)), 0e0) as phrase,
    60e0 + 10e0 * one.lexical / $most as fts,
    40e0 * least(2, one.terms - 1) as extra_matches,
    15e0 as branch,
    12e0 * one.files as files,
    10e0 * one.symbols as symbols,
    12e0 * one.errors as errors,
    case one.role
      when 'user' then 8e0
      when 'assistant' then 5e0
      when 'toolResult' then 4e0
      when 'bashExecution' then 4e0
      else 1e0
    end as authority,
    if(
      one.created_at between $oldest and $newest and $newest > $oldest,
      8e0 * (one.created_at - $oldest) / ($newest - $oldest),
      0e0
    ) as recency,
    -least(12e0, one.tokens / 1000e0) as length
  from candidates as one
  join removed
    on one.segment = removed.segment and one.position between removed.first and removed.last
),
scored as (
  select
    *,
    round(
      exact + phrase + fts + extra_matches + branch + files + symbols + errors + authority + recency + length, 6
    ) as score
  from components
)
-- All passages of an entry have its text's hash: one window finds the best of them, and the first of equal texts.
select
  passage, entry, tier, score, exact, phrase, fts, extra_matches, branch, files, symbols, errors, authority,
  recency, length,
  row_number() over (
    partition by text_hash order by tier desc, score desc, created_at desc nulls last, entry_id, entry, passage
  ) - 1 as copy
from scored
order by tier desc, score desc, created_at desc nulls last, entry_id, entry, passage;
