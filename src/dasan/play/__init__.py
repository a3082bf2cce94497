"""One hand as a fold of its events: moves, phases, states, views, sessions, and fair deals."""
