"""Tables: the room as a value, the task that owns it, the directory of open ones, and the commands of players."""
