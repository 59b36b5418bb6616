"""Two GGS clients and a server with a hostile network between them, for hours or for a test."""

from fanqi.ggs_soak.proxy import ChaosProxy, Weather
from fanqi.ggs_soak.soak import Plan, Report, soak

__all__ = ["ChaosProxy", "Plan", "Report", "Weather", "soak"]
