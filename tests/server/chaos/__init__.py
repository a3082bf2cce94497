"""The proof that nothing is lost: real servers, real sockets, and faults at random.

``python -m tests.server.chaos --minutes 5 --tables 50`` runs it by hand and prints what it found as JSON.
"""
