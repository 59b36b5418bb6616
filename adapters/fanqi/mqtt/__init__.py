"""MQTT as dispatchers and workers use it: addresses, topics, payloads, and a link that survives its broker.

Importing this does not import aiomqtt; `fanqi.mqtt.client` does, and is the only module that may.
"""

from fanqi.mqtt.address import BrokerAddress, Tls, complete_address, parse_broker
from fanqi.mqtt.errors import AddressError, LinkError, PayloadError, TopicError, VersionError, WireError
from fanqi.mqtt.link import Connected, Disconnected, Endpoint, Event, Incoming, Link, Network, Outgoing
from fanqi.mqtt.memory import Hub
from fanqi.mqtt.topics import Topics, check_name, new_name

__all__ = [
    "AddressError",
    "BrokerAddress",
    "Connected",
    "Disconnected",
    "Endpoint",
    "Event",
    "Hub",
    "Incoming",
    "Link",
    "LinkError",
    "Network",
    "Outgoing",
    "PayloadError",
    "Tls",
    "TopicError",
    "Topics",
    "VersionError",
    "WireError",
    "check_name",
    "complete_address",
    "new_name",
    "parse_broker",
]
