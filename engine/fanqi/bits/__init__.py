"""Bit kernels shared by the games: population count, bit scan, atomic load, raw memory."""

from fanqi.bits.memory import address_of, load, load_byte, store, store_byte
from fanqi.bits.scalar import atomic_load, leading_zeros, popcount, trailing_zeros

__all__ = [
    "address_of",
    "atomic_load",
    "leading_zeros",
    "load",
    "load_byte",
    "popcount",
    "store",
    "store_byte",
    "trailing_zeros",
]
