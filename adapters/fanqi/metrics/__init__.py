"""Watching a process from outside: Prometheus metrics and a health check over HTTP."""

from fanqi.metrics.families import LATENCY_BUCKETS, Family, Histogram, counter, gauge, render
from fanqi.metrics.server import Health, serve_metrics

__all__ = ["LATENCY_BUCKETS", "Family", "Health", "Histogram", "counter", "gauge", "render", "serve_metrics"]
