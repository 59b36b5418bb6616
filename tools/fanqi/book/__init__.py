"""Building opening books: a growing graph of positions, best-first expansion, import of lines, export."""
