"""The event loop that everything asynchronous runs on."""

from fanqi.event_loop.running import run_loop

__all__ = ["run_loop"]
