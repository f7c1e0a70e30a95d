-- Candidates ranked by the documented table; of an entry's passages, and of equal texts, the first in order.
-- engine: duckdb    params: lists, as text, of equal length for each relation: of the candidates $request (several are ranked
--   at once, each by itself), $candidate, $alike (equal for equal texts), $place (rank by entry id, entry and passage), $created_at (microseconds since 1970 UTC, or null),
--   $authority (points), $tokens, $segment, $position, the numbers of verified matches $terms, $identifiers, $phrases,
--   $files, $symbols, $errors, and $lexical (sum of the terms' weights); of the removed intervals $removed_request, $removed_segment,
--   $first, $last; of the requests' bounds $bounded, $most (largest lexical), $oldest, $newest (times of the candidates that
--   earn recency)
-- returns: request, candidate, tier (2 literal identifier, 1 literal phrase, 0 other), score, exact, phrase, fts, extra_matches,
--   branch, files, symbols, errors, authority, recency, length
select distinct on (request, alike)
  request, candidate, tier, score, exact, phrase, fts, extra_matches, branch, files, symbols, errors, authority, recency, length
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
        unnest($request::varchar::bigint[]) as request,
        unnest($candidate::varchar::bigint[]) as candidate,
        unnest($alike::varchar::bigint[]) as alike,
        unnest($place::varchar::bigint[]) as place,
        unnest($created_at::varchar::bigint[]) as created_at,
        unnest($authority::varchar::double[]) as authority,
        unnest($tokens::varchar::bigint[]) as tokens,
        unnest($segment::varchar::bigint[]) as segment,
        unnest($position::varchar::bigint[]) as position,
        unnest($terms::varchar::bigint[]) as terms,
        unnest($identifiers::varchar::bigint[]) as identifiers,
        unnest($phrases::varchar::bigint[]) as phrases,
        unnest($files::varchar::bigint[]) as files,
        unnest($symbols::varchar::bigint[]) as symbols,
        unnest($errors::varchar::bigint[]) as errors,
        unnest($lexical::varchar::double[]) as lexical
    ) as candidates
    join (
      select
        unnest($removed_request::varchar::bigint[]) as request,
        unnest($removed_segment::varchar::bigint[]) as segment,
        unnest($first::varchar::bigint[]) as first,
        unnest($last::varchar::bigint[]) as last
    ) as removed
      on candidates.request = removed.request
      and candidates.segment = removed.segment
      and candidates.position between removed.first and removed.last
    join (
      select
        unnest($bounded::varchar::bigint[]) as request,
        unnest($most::varchar::double[]) as most,
        unnest($oldest::varchar::bigint[]) as oldest,
        unnest($newest::varchar::bigint[]) as newest
    ) as bounds
      on bounds.request = candidates.request
  ) as components
) as scored
order by request, tier desc, score desc, created_at desc nulls last, place;
