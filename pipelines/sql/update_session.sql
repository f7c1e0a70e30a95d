-- Restate what can change of a session without its entries.
-- engine: sqlite    params: $session_key, $path, $state, $name
-- returns: nothing
update sessions
set path = $path, state = $state, name = $name
where session_key = $session_key;
