"""Foreign wire dialects, read and written as pure functions."""
