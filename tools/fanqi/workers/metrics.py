"""A worker's figures for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.metrics import Family, Health, Histogram, counter, gauge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fanqi.workers.service import WorkerService
    from fanqi.workers.worker import Worker

__all__ = ["worker_families", "worker_health"]


def worker_families(worker: Worker, seconds: Histogram) -> Iterable[Family]:
    """Everything, as of now."""
    running = len(worker.running)
    waiting = worker.waiting
    yield gauge("fanqi_worker_jobs", "Jobs in hand by state.", {"running": running, "waiting": waiting}, "state")
    yield gauge("fanqi_worker_threads", "Threads for searches.", worker.offer.threads)
    yield gauge("fanqi_worker_threads_free", "Threads without a job.", max(0, worker.free_threads))
    nps = sum(task.update.nps for task in worker.running.values())
    yield gauge("fanqi_worker_nodes_per_second", "Of the jobs that run now.", nps)
    yield counter("fanqi_worker_nodes_total", "Nodes of finished jobs.", worker.nodes)
    ends = {"finished": worker.done, "failed": worker.broke, "refused": worker.refused}
    yield counter("fanqi_worker_outcomes_total", "How jobs ended.", ends, "outcome")
    yield seconds.family("fanqi_worker_job_seconds", "How long finished jobs ran.")


def worker_health(service: WorkerService) -> Health:
    """Well, as long as the broker is there."""
    return Health(service.online, "ok" if service.online else "no broker")
