-- What a log's file was when its session was last brought up to date.
-- engine: sqlite    params: $path
-- returns: state, file_size, file_mtime_ns, file_ctime_ns, file_inode
select state, file_size, file_mtime_ns, file_ctime_ns, file_inode
from sessions
where path = $path
order by state, number desc
limit 1;
