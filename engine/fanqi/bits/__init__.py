"""Bit kernels shared by the games: population count, bit scan, atomic load."""

from fanqi.bits.scalar import atomic_load, popcount, trailing_zeros

__all__ = ["atomic_load", "popcount", "trailing_zeros"]
