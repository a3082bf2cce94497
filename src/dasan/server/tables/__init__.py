"""Tables: the room as a value, the task that owns it, the directory of open tables, and players' commands."""
