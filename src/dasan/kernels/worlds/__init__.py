"""Deals of the cards that a seat cannot see."""
