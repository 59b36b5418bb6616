"""A small GGS-compatible server for tests, clubs and private engine leagues.

`Central` and `Service` are the whole server without sockets and clocks, `GgsServer` gives it those. See docs/ggs.md.
"""

from fanqi.ggs_server.door import DoorRules
from fanqi.ggs_server.errors import GgsServerError, StoreError
from fanqi.ggs_server.hall import name_allowed
from fanqi.ggs_server.listener import GgsServer, ServerSettings

__all__ = ["DoorRules", "GgsServer", "GgsServerError", "ServerSettings", "StoreError", "name_allowed"]
