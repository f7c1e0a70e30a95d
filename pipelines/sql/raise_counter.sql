-- Raise a counter; it begins at 0.
-- engine: sqlite    params: $name, $by
-- returns: nothing
insert into meta (name, value)
values ($name, $by)
on conflict (name) do update set value = value + $by;
