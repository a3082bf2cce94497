"""Notifications to players who are not here: the words, Web Push, letters, and the task that sends them."""
