"""Ends at once, with an exit code."""

import sys

sys.exit(3)
