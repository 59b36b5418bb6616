"""The GGS client: plays Othello on GGS servers for days, unattended.

`run_client` puts the parts together: the connection's owner (`Client`), the player behind it (`Player`), a task for
each game, and a `Thinker` whose searches run on threads. See docs/ggs.md.
"""

from fanqi.ggs.config import EXAMPLE, Config, find_password, load_config, read_config
from fanqi.ggs.errors import ConfigError, ConnectionLostError, GgsError, LoginError
from fanqi.ggs.run import ClientHandle, run_client
from fanqi.ggs.status import Status
from fanqi.ggs.terminal import StatusLine

__all__ = [
    "EXAMPLE",
    "ClientHandle",
    "Config",
    "ConfigError",
    "ConnectionLostError",
    "GgsError",
    "LoginError",
    "Status",
    "StatusLine",
    "find_password",
    "load_config",
    "read_config",
    "run_client",
]
