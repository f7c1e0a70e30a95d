-- What all sessions of a store add up to.
-- engine: duckdb    params: $files (Parquet files of the lake's sessions)
-- returns: present, vanished (sessions), entries, rejects, indexed_at (microseconds since 1970 UTC, of the session read last)
select
  count(*) filter (where state = 'present') as present,
  count(*) filter (where state = 'vanished') as vanished,
  coalesce(sum(entries), 0) as entries,
  coalesce(sum(rejects), 0) as rejects,
  epoch_us(max(indexed_at)) as indexed_at
from read_parquet($files, hive_partitioning = false);
