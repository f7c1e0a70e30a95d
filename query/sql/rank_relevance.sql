-- Candidates ranked by lexical relevance: BM25 of the terms in a passage and, weaker, of those in the dialogue around it.
-- engine: duckdb    params: lists, as text, of equal length for each relation: of the candidates $candidate, $alike (equal
--   for equal texts), $place (rank by entry id, entry and passage), $created_at (microseconds since 1970 UTC, or null),
--   $tokens, $segment, $position, $dialogue (1 for what a person or the model said), $asks (1 for a question); of the
--   matches $holder (a candidate), $term, $times (1 or 2); of the terms $number, $weight; of the removed intervals
--   $removed_segment, $first, $last; of the neighbours $distance, $share; one value each: $length (mean tokens), $total (sum of
--   the weights)
-- returns: candidate, score, lexical, coverage, question
select distinct on (alike) candidate, score, lexical, coverage, question
from (
  select *, round(lexical * (1e0 + 2e0 * coverage) * question, 6) as score
  from (
    select
      candidate,
      alike,
      place,
      created_at,
      sum(part) as lexical,
      sum(cover) / max(total) as coverage,
      if(max(asks) = 1, 0.8e0, 1e0) as question
    from (
      select
        near.candidate,
        near.alike,
        near.place,
        near.created_at,
        near.asks,
        matches.term,
        max(
          neighbours.share * terms.weight * matches.times * 1.9e0
          / (matches.times + 0.9e0 * (0.7e0 + 0.3e0 * far.tokens / bounds.length))
        ) as part,
        max(neighbours.share * terms.weight) as cover,
        any_value(bounds.total) as total
      from (
        select
          unnest($holder::varchar::bigint[]) as holder,
          unnest($term::varchar::bigint[]) as term,
          unnest($times::varchar::double[]) as times
      ) as matches
      join (
        select unnest($number::varchar::bigint[]) as number, unnest($weight::varchar::double[]) as weight
      ) as terms
        on terms.number = matches.term
      join (
        select
          unnest($candidate::varchar::bigint[]) as candidate,
          unnest($tokens::varchar::double[]) as tokens,
          unnest($segment::varchar::bigint[]) as segment,
          unnest($position::varchar::bigint[]) as position,
          unnest($dialogue::varchar::bigint[]) as dialogue
      ) as far
        on far.candidate = matches.holder
      cross join (
        select unnest($distance::varchar::bigint[]) as distance, unnest($share::varchar::double[]) as share
      ) as neighbours
      join (
        select
          unnest($candidate::varchar::bigint[]) as candidate,
          unnest($alike::varchar::bigint[]) as alike,
          unnest($place::varchar::bigint[]) as place,
          unnest($created_at::varchar::bigint[]) as created_at,
          unnest($segment::varchar::bigint[]) as segment,
          unnest($position::varchar::bigint[]) as position,
          unnest($dialogue::varchar::bigint[]) as dialogue,
          unnest($asks::varchar::bigint[]) as asks
      ) as near
        on near.segment = far.segment
        and near.position = far.position + neighbours.distance
        and (near.candidate = far.candidate or (neighbours.distance <> 0 and near.dialogue = 1 and far.dialogue = 1))
      join (
        select
          unnest($removed_segment::varchar::bigint[]) as segment,
          unnest($first::varchar::bigint[]) as first,
          unnest($last::varchar::bigint[]) as last
      ) as removed
        on near.segment = removed.segment and near.position between removed.first and removed.last
      cross join (
        select unnest($length::varchar::double[]) as length, unnest($total::varchar::double[]) as total
      ) as bounds
      group by near.candidate, near.alike, near.place, near.created_at, near.asks, matches.term
    ) as parts
    group by candidate, alike, place, created_at
  ) as components
) as scored
order by score desc, created_at desc nulls last, place;
