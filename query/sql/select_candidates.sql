-- The passages with the most evidence: weight of the distinct terms they match, then the newest.
-- engine: duckdb    params: $pool (most rows)
-- reads: matches (passage, term), terms (term, weight)
-- returns: passage, evidence
select matches.passage, sum(terms.weight) as evidence
from matches
join terms on terms.term = matches.term
group by matches.passage
order by evidence desc, matches.passage desc
limit $pool;
