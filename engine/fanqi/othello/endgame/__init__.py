"""Exact search to the end of the game."""
