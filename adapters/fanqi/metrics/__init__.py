"""Watching a process from outside: Prometheus metrics and a health check over HTTP."""
