"""Does an engine keep to the protocol? Every promise of docs/protocol.md that a host can see, checked one by one."""

from fanqi.match.compliance.checker import Outcome, Step, Violation, check_engine

__all__ = ["Outcome", "Step", "Violation", "check_engine"]
