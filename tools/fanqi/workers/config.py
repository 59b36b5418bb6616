"""A worker's configuration: TOML to typed values, each parsed once into what it means."""

from __future__ import annotations

import os
import re
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from fanqi.files import read_small, reason_of
from fanqi.game import GAME_NAMES, quoted
from fanqi.mqtt import AddressError, BrokerAddress, TopicError, check_name, complete_address
from fanqi.mqtt.work import KINDS
from fanqi.workers.admission import SAFE_OPTIONS, Allowance, Offer
from fanqi.workers.errors import ConfigurationError
from fanqi.workers.hours import Hours, parse_hours

__all__ = ["EXAMPLE", "Allow", "Config", "Login", "Setup", "load_config", "resolve"]

BUILTIN_ENGINES = ("builtin:fanqi", "builtin:greedy", "builtin:random")
Positive = Annotated[int, Meta(ge=1)]

EXAMPLE = """\
# Configuration of `fanqi worker --config FILE`. Everything may be left out but the broker; options of the command
# line win over this file.

broker = "mqtts://attic@broker.example"   # mqtt:// without TLS; a topic prefix may follow: mqtt://host/club
# name = "attic"                # unique; made from the host's name if left out
# threads = 4                   # for all jobs together; all processors if left out
# hash = 256                    # MiB of hash tables for all jobs together
# kinds = ["analyse", "game", "play", "selfplay", "ping"]
# games = ["othello", "banqi"]
# niceness = 10                 # jobs run with so much less priority (not on Windows)
# hours = "Mon-Fri 20:00-07:00; Sat-Sun"   # local time; jobs in hand are finished
# max_jobs = 1000               # then stop
# credit = 64                   # jobs held for each dispatcher, at most
# heartbeat = 5.0               # seconds

[login]
# password_file = "/etc/fanqi/password"    # chmod 600; or the environment variable FANQI_MQTT_PASSWORD
# ca = "/etc/fanqi/ca.pem"                 # instead of the system's authorities
# cert = "/etc/fanqi/attic.pem"            # our own certificate, if the broker wants one
# key = "/etc/fanqi/attic.key"
# verify = true

[allow]                         # what one job may ask for
# seconds = 21600.0
# nodes = 10_000_000_000_000
# multipv = 64
# positions = 1000              # moves of one game, games of one self-play job
# options = []                  # engine options that a match may set beside the usual ones; none that takes a file

[engines]                       # for `fanqi match --workers`: names a match may use, and what they run
# edax = "nboard:/opt/edax/edax -l 12"
"""


class Login(Struct, frozen=True, forbid_unknown_fields=True):
    """How to prove who we are."""

    user: str | None = None
    password_file: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    verify: bool = True


class Allow(Struct, frozen=True, forbid_unknown_fields=True):
    """What one job may ask for; see `fanqi.workers.admission.Allowance`."""

    seconds: Annotated[float, Meta(gt=0)] = 6 * 3600.0
    nodes: Positive = 10**13
    multipv: Annotated[int, Meta(ge=1, le=500)] = 64
    positions: Positive = 1000
    options: tuple[str, ...] = ()


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    broker: str | None = None
    name: str | None = None
    threads: Annotated[int, Meta(ge=1, le=1024)] | None = None
    hash: Annotated[int, Meta(ge=1, le=1_048_576)] | None = None
    kinds: tuple[Literal["analyse", "game", "play", "selfplay", "ping"], ...] = KINDS  # type: ignore[assignment]
    games: tuple[Literal["othello", "banqi"], ...] = GAME_NAMES  # type: ignore[assignment]
    niceness: Annotated[int, Meta(ge=0, le=19)] = 10
    hours: str = ""
    max_jobs: Positive | None = None
    credit: Annotated[int, Meta(ge=1, le=4096)] = 64
    heartbeat: Annotated[float, Meta(ge=0.1, le=3600)] = 5.0
    login: Login = Login()
    allow: Allow = Allow()
    engines: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Setup:
    """A configuration, ready to be used."""

    name: str
    address: BrokerAddress
    offer: Offer
    allowance: Allowance
    hours: Hours
    niceness: int
    max_jobs: int | None
    heartbeat_s: float


def load_config(path: Path) -> Config:
    """Read a file.

    Raises:
        ConfigurationError: it cannot be read, is not TOML, or has a key or a value that means nothing.
    """
    try:
        return msgspec.toml.decode(read_small(path), type=Config)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {reason_of(error)}") from None


def resolve(config: Config) -> Setup:
    """Give every setting its meaning.

    Raises:
        ConfigurationError: no broker, or something that cannot be used.
    """
    if config.broker is None:
        raise ConfigurationError('no broker: give --broker mqtt://HOST, or broker = "…" in the configuration')
    login = config.login
    try:
        address = complete_address(
            config.broker,
            user=login.user,
            password_file=path_of(login.password_file),
            ca=path_of(login.ca),
            certificate=path_of(login.cert),
            key=path_of(login.key),
            verify=login.verify,
        )
        name = check_name(config.name) if config.name is not None else host_name()
    except (AddressError, TopicError) as error:
        raise ConfigurationError(error.reason) from None
    for engine in config.engines:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", engine):
            raise ConfigurationError(
                f"engine {quoted(engine)}: a name of letters, digits, '.', '_' and '-' is expected"
            )
    threads = config.threads or processors()
    engines = tuple((builtin, builtin) for builtin in BUILTIN_ENGINES) + tuple(config.engines.items())
    return Setup(
        name=name,
        address=address,
        offer=Offer(
            kinds=config.kinds,
            games=config.games,
            engines=engines,
            threads=threads,
            hash_mib=config.hash or 64 * threads,
            credit=config.credit,
        ),
        allowance=Allowance(
            seconds=config.allow.seconds,
            nodes=config.allow.nodes,
            multipv=config.allow.multipv,
            positions=config.allow.positions,
            options=SAFE_OPTIONS | {name.strip().lower() for name in config.allow.options},
        ),
        hours=parse_hours(config.hours),
        niceness=config.niceness,
        max_jobs=config.max_jobs,
        heartbeat_s=config.heartbeat,
    )


def path_of(text: str | None) -> Path | None:
    """A path, with ``~`` and ``$VARIABLE`` in it replaced."""
    return None if text is None else Path(os.path.expandvars(text)).expanduser()


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def host_name() -> str:
    """The host's name and four letters by chance, since several workers may run on one host."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()).strip(".-_") or "worker"
    return f"{plain[:50]}-{secrets.token_hex(2)}"
