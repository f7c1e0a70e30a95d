-- The passages with the most evidence: those known to hold a literal, then by the weight of the terms they match, then
-- the newest.
-- engine: duckdb    params: $pool (most rows)
-- reads: matches (passage, term, literal), terms (term, weight)
-- returns: passage, evidence
select matches.passage, sum(terms.weight) as evidence
from matches
join terms on terms.term = matches.term
group by matches.passage
order by bool_or(matches.literal) desc, evidence desc, matches.passage desc
limit $pool;
