-- Candidates ranked by lexical relevance: BM25 of the terms in a passage and, weaker, of those in the dialogue around it.
-- engine: duckdb    params: lists of rows, as text: of the requests $requests (request: several are ranked at once, each by
--   itself; length, the mean tokens of its candidates; total, the sum of its terms' weights); of their terms $terms
--   (request, term, weight); of the candidates $candidates (request; candidate; alike, equal for equal texts; place, the
--   rank by entry id, entry and passage; created_at, in microseconds since 1970 UTC, or null; segment; position; tokens;
--   dialogue, 1 for what a person or the model said; asks, 1 for a question); of the matches $matches (request, holder: a
--   candidate, term, times: 1 or 2); of the removed intervals $removed (request, segment, first, last); of the neighbours
--   $neighbours (distance, share)
-- returns: request, candidate, score, lexical, coverage, question
--
-- Candidates are joined with each other; parsed once for both sides, the statement takes half the time.
with candidates as materialized (
  select
    one[1] as request, one[2] as candidate, one[3] as alike, one[4] as place, one[5] as created_at,
    one[6] as segment, one[7] as position, one[8] as tokens, one[9] as dialogue, one[10] as asks
  from (select unnest($candidates::varchar::double[][]) as one)
)
select distinct on (request, alike) request, candidate, score, lexical, coverage, question
from (
  select *, round(lexical * (1e0 + 2e0 * coverage) * question, 6) as score
  from (
    select
      request,
      candidate,
      alike,
      place,
      created_at,
      round(sum(part), 9) as lexical,
      round(sum(cover) / max(total), 9) as coverage,
      if(max(asks) = 1, 0.8e0, 1e0) as question
    from (
      select
        near.request,
        near.candidate,
        near.alike,
        near.place,
        near.created_at,
        near.asks,
        matches.term,
        max(
          neighbours.share * terms.weight * matches.times * 1.9e0
          / (matches.times + 0.9e0 * (0.7e0 + 0.3e0 * far.tokens / requests.length))
        ) as part,
        max(neighbours.share * terms.weight) as cover,
        any_value(requests.total) as total
      from (
        select one[1] as request, one[2] as holder, one[3] as term, one[4] as times
        from (select unnest($matches::varchar::double[][]) as one)
      ) as matches
      join (
        select one[1] as request, one[2] as term, one[3] as weight
        from (select unnest($terms::varchar::double[][]) as one)
      ) as terms
        on terms.request = matches.request
        and terms.term = matches.term
      join (
        select one[1] as request, one[2] as length, one[3] as total
        from (select unnest($requests::varchar::double[][]) as one)
      ) as requests
        on requests.request = matches.request
      join candidates as far
        on far.request = matches.request
        and far.candidate = matches.holder
      cross join (
        select one[1] as distance, one[2] as share
        from (select unnest($neighbours::varchar::double[][]) as one)
      ) as neighbours
      join candidates as near
        on near.request = far.request
        and near.segment = far.segment
        and near.position = far.position + neighbours.distance
        and (near.candidate = far.candidate or (neighbours.distance <> 0 and near.dialogue = 1 and far.dialogue = 1))
      join (
        select one[1] as request, one[2] as segment, one[3] as first, one[4] as last
        from (select unnest($removed::varchar::double[][]) as one)
      ) as removed
        on near.request = removed.request
        and near.segment = removed.segment
        and near.position between removed.first and removed.last
      group by near.request, near.candidate, near.alike, near.place, near.created_at, near.asks, matches.term
    ) as parts
    group by request, candidate, alike, place, created_at
  ) as components
) as scored
order by request, score desc, created_at desc nulls last, place;
