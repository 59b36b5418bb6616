"""The search before the end is in sight."""
