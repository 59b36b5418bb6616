"""The command line: one lazily imported module a subcommand."""
