"""The web server: tables in the browser, kept in an event log.

``tables.room`` decides what a command does and touches nothing outside itself; ``store`` makes it durable; ``tables``
joins the two and lets the bots move; ``api`` and ``connections`` carry it over REST and WebSocket in the words of
``protocol``; ``app`` puts them together and ``main`` serves them. The engine is asked for every rule, and
``state.view`` for everything a player is shown.
"""
