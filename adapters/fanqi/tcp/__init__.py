"""The protocol over TCP and WebSocket: one session a connection, one queue for all searches."""

from fanqi.tcp.config import ServerConfig
from fanqi.tcp.server import Server, serve

__all__ = ["Server", "ServerConfig", "serve"]
