"""Bit kernels shared by the games: population count, bit scan, atomic load, four-lane vectors."""
