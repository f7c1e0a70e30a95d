-- Candidates ranked by the documented table; of an entry's passages, and of equal texts, the first in order.
-- engine: duckdb    params: lists of rows, as text: of the candidates $candidates (request: several are ranked at once,
--   each by itself; candidate; alike, equal for equal texts; place, the rank by entry id, entry and passage; created_at,
--   in microseconds since 1970 UTC, or null; segment; position; authority, in points; tokens; the numbers of verified
--   matches: terms, identifiers, phrases, files, symbols, errors; lexical, the sum of the terms' weights; and of its request
--   most, the largest lexical, oldest and newest, the times of the candidates that earn recency);
--   of the removed intervals $removed (request, segment, first, last)
-- returns: request, candidate, tier (2 literal identifier, 1 literal phrase, 0 other), score, components (exact, phrase, fts,
--   extra_matches, branch, files, symbols, errors, authority, recency, length)
select distinct on (request, alike)
  request, candidate, tier, score,
  [exact, phrase, fts, extra_matches, branch, files, symbols, errors, authority, recency, length] as components
from (
  select
    *,
    round(
      exact + phrase + fts + extra_matches + branch + files + symbols + errors + authority + recency + length, 6
    ) as score
  from (
    select
      candidates.request,
      candidate,
      alike,
      place,
      created_at,
      case when identifiers > 0 then 2 when phrases > 0 then 1 else 0 end as tier,
      if(identifiers > 0, 97e0 + least(15, 3 * identifiers), 0e0) as exact,
      if(phrases > 0, 83e0 + least(10, 2 * phrases), 0e0) as phrase,
      60e0 + 10e0 * lexical / most as fts,
      40e0 * least(2, terms - 1) as extra_matches,
      15e0 as branch,
      12e0 * files as files,
      10e0 * symbols as symbols,
      12e0 * errors as errors,
      authority,
      if(
        created_at between oldest and newest and newest > oldest,
        8e0 * (created_at - oldest) / (newest - oldest),
        0e0
      ) as recency,
      -least(12e0, tokens / 1000e0) as length
    from (
      select
        one[1] as request, one[2] as candidate, one[3] as alike, one[4] as place, one[5] as created_at,
        one[6] as segment, one[7] as position, one[8] as authority, one[9] as tokens,
        one[10] as terms, one[11] as identifiers, one[12] as phrases,
        one[13] as files, one[14] as symbols, one[15] as errors, one[16] as lexical,
        one[17] as most, one[18] as oldest, one[19] as newest
      from (select unnest($candidates::varchar::double[][]) as one)
    ) as candidates
    join (
      select one[1] as request, one[2] as segment, one[3] as first, one[4] as last
      from (select unnest($removed::varchar::double[][]) as one)
    ) as removed
      on candidates.request = removed.request
      and candidates.segment = removed.segment
      and candidates.position between removed.first and removed.last
  ) as components
) as scored
order by request, tier desc, score desc, created_at desc nulls last, place;
