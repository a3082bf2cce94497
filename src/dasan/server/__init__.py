"""The web server: tables in the browser, stored as an event log.

``tables.room`` is pure: it decides what a command does. ``store`` makes it durable; ``tables`` joins the two and runs
the bots; ``api`` and ``connections`` serve it over REST and WebSocket with the messages of ``protocol``; ``app``
assembles the application and ``main`` runs it. The engine decides every rule, and ``state.view`` everything that a
player may see.
"""
