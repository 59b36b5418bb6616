"""The other ends of connections: their names, what one address may do, and noticing who is gone without a word."""

from fanqi.peers.addresses import AddressBook, source_of
from fanqi.peers.hosts import is_host, naming_host
from fanqi.peers.keep_alive import keep_alive

__all__ = ["AddressBook", "is_host", "keep_alive", "naming_host", "source_of"]
