"""climb/1: a game as its events, one JSON object a line. `docs/reference/records.md` describes the lines."""
