"""A broker in this process, for one machine and for trying out: amqtt, the dependency of the extra ``broker``.

It speaks MQTT 3.1.1, which is all that is asked of a broker here, and knows neither passwords nor TLS in this form:
for more than one machine there is mosquitto.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fanqi.files import reason_of
from fanqi.mqtt.errors import LinkError

__all__ = ["embedded_broker"]

MOST_CLIENTS = 1000


@asynccontextmanager
async def embedded_broker(host: str, port: int) -> AsyncIterator[None]:
    """Run a broker until the context is left.

    Raises:
        LinkError: amqtt is not installed, or the address cannot be had.
    """
    if importlib.util.find_spec("amqtt") is None:
        raise LinkError(
            'amqtt, the extra "broker" of Fanqi, is not installed: in a clone, python3 -m pip install ".[broker]"; '
            "elsewhere, python3 -m pip install amqtt; or use mosquitto"
        )
    from amqtt.broker import Broker
    from amqtt.errors import BrokerError

    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    logging.getLogger("transitions").setLevel(logging.ERROR)
    broker = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"{host}:{port}", "max_connections": MOST_CLIENTS}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    try:
        await broker.start()
    except (BrokerError, OSError) as error:
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise LinkError(f"{host}:{port}: {reason_of(cause)}") from None
    try:
        yield
    finally:
        await broker.shutdown()
