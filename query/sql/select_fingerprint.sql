-- The state of a session that the lake has.
-- engine: duckdb    params: $files (Parquet files of the lake's sessions), $session_key
-- returns: fingerprint
select fingerprint
from read_parquet($files, hive_partitioning = false)
where session_key = $session_key
order by fingerprint;
