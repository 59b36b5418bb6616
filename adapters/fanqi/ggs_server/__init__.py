"""A small GGS-compatible server for tests, clubs and private engine leagues."""
