"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# no test is timed: the first example may compile a kernel
settings.register_profile("fanqi", deadline=None)
settings.load_profile("fanqi")
