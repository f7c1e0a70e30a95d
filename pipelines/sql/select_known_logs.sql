-- Each log as its file was when it was read; of several with one path the one that was there last.
-- engine: sqlite    params: none
-- returns: path, state, file_size, file_mtime_ns, file_ctime_ns, file_inode, bytes, digest
select path, state, file_size, file_mtime_ns, file_ctime_ns, file_inode, bytes, digest
from sessions
order by path, state = 'present', number;
