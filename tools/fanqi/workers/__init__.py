"""The working side: takes jobs from dispatchers, within what its owner allows, and has them run."""
