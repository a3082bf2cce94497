"""Seats at a server's tables for programs and for agents that read text."""
