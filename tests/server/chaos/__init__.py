"""The proof that nothing is lost: real servers, real sockets, and random faults. ``python -m tests.server.chaos
--minutes 5 --tables 50`` runs it by hand and prints a report as JSON.
"""
