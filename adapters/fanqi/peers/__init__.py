"""The other ends of connections: what one address may do, and noticing that somebody is gone without a word."""

from fanqi.peers.addresses import AddressBook, source_of
from fanqi.peers.keep_alive import keep_alive

__all__ = ["AddressBook", "keep_alive", "source_of"]
