"""The opening book of Othello: its file, and what it says about a position. It knows symmetries, but no rules.

Books are made by `fanqi book`; docs/book.md has the layout of the file. Importing this package imports numpy.
"""

from fanqi.othello_book.book import Advice, Book, BookMove, packaged_book, shared_book
from fanqi.othello_book.columns import NO_MOVE, NO_SCORE, PASS, Columns
from fanqi.othello_book.file import BookError, BookHead, format_book, parse_book, read_book
from fanqi.othello_book.symmetry import (
    SYMMETRIES,
    apply_symmetry,
    canonical,
    canonical_arrays,
    square_under,
    symmetries_to,
)

__all__ = [
    "NO_MOVE",
    "NO_SCORE",
    "PASS",
    "SYMMETRIES",
    "Advice",
    "Book",
    "BookError",
    "BookHead",
    "BookMove",
    "Columns",
    "apply_symmetry",
    "canonical",
    "canonical_arrays",
    "format_book",
    "packaged_book",
    "parse_book",
    "read_book",
    "shared_book",
    "square_under",
    "symmetries_to",
]
