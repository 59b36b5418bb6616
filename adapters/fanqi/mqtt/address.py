"""Where a broker is and how to prove who we are: ``mqtt://[USER@]HOST[:PORT][/PREFIX]``, ``mqtts://`` with
TLS.

A password comes from the environment or from a file, never from the address: addresses end up in process
lists and logs.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fanqi.files import SecretError, read_secret
from fanqi.game import quoted
from fanqi.mqtt.errors import AddressError, TopicError
from fanqi.mqtt.topics import DEFAULT_PREFIX, Topics
from fanqi.peers import is_host

__all__ = ["BrokerAddress", "Tls", "complete_address", "parse_broker"]

USER_VARIABLE = "FANQI_MQTT_USER"
PASSWORD_VARIABLE = "FANQI_MQTT_PASSWORD"
CA_VARIABLE = "FANQI_MQTT_CA"


@dataclass(frozen=True, slots=True)
class Tls:
    """How the broker proves itself, and we to it.

    Attributes:
        ca: certificates to trust instead of the system's.
        certificate, key: our own, for brokers that ask for one.
        verify: False takes any certificate; only ever by an explicit wish of the user.
    """

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    verify: bool = True

    def context(self) -> ssl.SSLContext:
        """The context for a connection.

        Raises:
            AddressError: a file cannot be read or is not what it should be.
        """
        try:
            context = ssl.create_default_context(cafile=str(self.ca) if self.ca else None)
        except (OSError, ssl.SSLError) as error:
            raise AddressError(f"certificate authority file {str(self.ca)!r}: {error}") from None
        if not self.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key)
            except (OSError, ssl.SSLError) as error:
                raise AddressError(f"client certificate {str(self.certificate)!r}: {error}") from None
        return context


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker, ready to be connected to. ``tls`` is None for plain TCP."""

    host: str
    port: int
    prefix: str = DEFAULT_PREFIX
    tls: Tls | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """The address without the password, such that `parse_broker` reads it again."""
        scheme, standard = ("mqtts", 8883) if self.tls else ("mqtt", 1883)
        user = f"{self.user}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == standard else f":{self.port}"
        path = "" if self.prefix == DEFAULT_PREFIX else f"/{self.prefix}"
        return f"{scheme}://{user}{host}{port}{path}"

    @property
    def topics(self) -> Topics:
        return Topics(self.prefix)


def parse_broker(text: str) -> BrokerAddress:
    """Read a broker's address.

    Raises:
        AddressError: another scheme, no host, a bad port or prefix, or a password in it.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"broker address {quoted(text)}: {error}") from None
    if parts.password is not None:
        shown = text.replace(parts.password, "…") if parts.password else text
        raise AddressError(
            f"broker address {quoted(shown)}: a password does not belong there; "
            f"set {PASSWORD_VARIABLE} or give a password file"
        )
    if parts.scheme not in ("mqtt", "mqtts"):
        raise AddressError(f"broker address {quoted(text)}: it begins with mqtt:// or mqtts://, as in mqtt://host:1883")
    if not parts.hostname:
        raise AddressError(f"broker address {quoted(text)}: it names no host")
    if not is_host(parts.hostname):
        raise AddressError(f"broker address {quoted(text)}: {quoted(parts.hostname)} is not the name of a host")
    if parts.query or parts.fragment:
        raise AddressError(f"broker address {quoted(text)}: nothing may follow the prefix")
    prefix = parts.path.strip("/") or DEFAULT_PREFIX
    try:
        Topics(prefix)
    except TopicError as error:
        raise AddressError(f"broker address {quoted(text)}: {error.reason}") from None
    secure = parts.scheme == "mqtts"
    return BrokerAddress(
        host=parts.hostname,
        port=port if port is not None else (8883 if secure else 1883),
        prefix=prefix,
        tls=Tls() if secure else None,
        user=unquote(parts.username) if parts.username else None,
    )


def complete_address(
    text: str,
    *,
    user: str | None = None,
    password_file: Path | None = None,
    ca: Path | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
    verify: bool = True,
) -> BrokerAddress:
    """A broker address with everything it takes to connect: arguments win over the address, the environment is last.

    Raises:
        AddressError: as `parse_broker`; a password file that cannot be used; a password without a user; TLS options
            without TLS.
    """
    address = parse_broker(text)
    name = user or address.user or os.environ.get(USER_VARIABLE)
    try:
        password = read_secret(password_file) if password_file else os.environ.get(PASSWORD_VARIABLE)
    except SecretError as error:
        raise AddressError(f"password file {str(password_file)!r}: {error}") from None
    if password and not name:
        raise AddressError(f"a password for {address}, but no user: write mqtt://USER@host or set {USER_VARIABLE}")
    if address.tls is None:
        if ca or certificate or key or not verify:
            raise AddressError(f"{address}: certificates are for mqtts://")
        return replace(address, user=name, password=password)
    if ca is None and os.environ.get(CA_VARIABLE):
        ca = Path(os.environ[CA_VARIABLE])
    return replace(address, user=name, password=password, tls=Tls(ca, certificate, key, verify))
