"""Notifications to absent players: texts, Web Push, e-mails, and the task that sends them."""
