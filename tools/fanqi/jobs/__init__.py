"""What a job is when it runs: one function a kind, and the process in which they run."""
