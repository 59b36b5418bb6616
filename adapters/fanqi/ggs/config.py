"""The configuration file of the client: TOML, checked value by value before anything is done."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from fanqi.files import SecretError, read_secret, read_small, reason_of
from fanqi.game import quoted
from fanqi.ggs.errors import ConfigError
from fanqi.ggs_wire import ClockSetting, GameType, WireError
from fanqi.peers import is_host
from fanqi.strength import NO_PRESET, PRESETS, load_calibration

__all__ = [
    "EXAMPLE",
    "AcceptConfig",
    "AskConfig",
    "Config",
    "EngineConfig",
    "OfferConfig",
    "load_config",
    "read_config",
]

NAME = re.compile(r"(?=[!-~]+\Z)[^._/,:\\][^,:\\]{1,7}")
WORD = re.compile(r"[!-~]{1,64}")
LONGEST_PASSWORD = 200

Seconds = Annotated[float, Meta(ge=0, le=1e7)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]


class ServerConfig(Struct, forbid_unknown_fields=True):
    """Where to play, and who we are there."""

    name: Annotated[str, Meta(min_length=2, max_length=8)]
    host: str = "skatgame.net"
    port: Annotated[int, Meta(ge=1, le=65535)] = 5000
    tls: bool = False
    tls_verify: bool = True
    password_env: str = "FANQI_GGS_PASSWORD"
    password_file: str = ""
    keep_alive_s: Annotated[float, Meta(ge=0.05, le=3600)] = 60.0
    patience_s: Annotated[float, Meta(ge=0.05, le=3600)] = 15.0
    retry_first_s: Annotated[float, Meta(ge=0.01, le=3600)] = 1.0
    retry_longest_s: Annotated[float, Meta(ge=0.01, le=86400)] = 120.0


class EngineConfig(Struct, forbid_unknown_fields=True):
    """How we think."""

    searches: Positive = 1
    hash_mib: Annotated[int, Meta(ge=1, le=65536)] = 64
    threads: Positive = 1
    skill_level: Annotated[int, Meta(ge=0, le=20)] = 20
    elo: int = 0
    preset: str = NO_PRESET
    contempt: Annotated[int, Meta(ge=-10_000, le=10_000)] = 0
    book: bool = True
    book_file: str = ""
    book_variety: Annotated[float, Meta(ge=0, le=64)] = 0.5
    ponder: bool = True
    move_time_s: Annotated[float, Meta(ge=0, le=3600)] = 0.0
    overhead_s: Annotated[float, Meta(ge=0, le=60)] = 0.5


class AcceptConfig(Struct, forbid_unknown_fields=True):
    """Which requests we take."""

    types: list[str] = field(default_factory=lambda: ["8", "8[bw]", "8a", "8[bw]a", "8k*", "s8*"])
    rated: Literal["yes", "no", "any"] = "any"
    from_anybody: bool = True
    initial_s: tuple[Seconds, Seconds] = (10.0, 3600.0)
    increment_s: tuple[Seconds, Seconds] = (0.0, 60.0)
    extension_s: tuple[Seconds, Seconds] = (0.0, 3600.0)
    equal_clocks: bool = True
    rating: tuple[float, float] = (0.0, 10_000.0)
    opponents: list[str] = field(default_factory=lambda: ["*"])
    blocked: list[str] = field(default_factory=list)
    games: Annotated[int, Meta(ge=1, le=64)] = 1
    resume: bool = True


class AskConfig(Struct, forbid_unknown_fields=True):
    """A request that we make."""

    type: str
    clock: str = "5:00//2:00"
    opponent: str = ""
    pause_s: Seconds = 10.0
    give_up_s: Annotated[float, Meta(ge=0.1, le=86400)] = 120.0


class OfferConfig(Struct, forbid_unknown_fields=True):
    """What we say to offers, and when we give up."""

    undo: Literal["never", "unrated", "always"] = "never"
    abort: Literal["never", "unrated", "always"] = "unrated"
    resign: bool = False
    resign_discs: Annotated[float, Meta(ge=0, le=64)] = 40.0
    resign_moves: Positive = 3


class StopConfig(Struct, forbid_unknown_fields=True):
    """When to stop; 0 means never."""

    matches: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    after_s: Seconds = 0.0


class RecordConfig(Struct, forbid_unknown_fields=True):
    """Where finished games go."""

    folder: str = "ggs-games"


class MetricsConfig(Struct, forbid_unknown_fields=True):
    """Prometheus metrics; no port, no metrics."""

    port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    host: str = "127.0.0.1"


class Config(Struct, forbid_unknown_fields=True):
    """The whole file."""

    server: ServerConfig
    engine: EngineConfig = field(default_factory=EngineConfig)
    accept: AcceptConfig = field(default_factory=AcceptConfig)
    offers: OfferConfig = field(default_factory=OfferConfig)
    ask: list[AskConfig] = field(default_factory=list)
    stop: StopConfig = field(default_factory=StopConfig)
    records: RecordConfig = field(default_factory=RecordConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)


def read_config(text: str, where: str = "configuration") -> Config:
    """A configuration from its text.

    Raises:
        ConfigError: not TOML, an unknown name, or a value out of its range; said with its place.
    """
    try:
        config = msgspec.convert(tomllib.loads(text), Config)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from None
    check(config, where)
    return config


def check(config: Config, where: str) -> None:
    """What the types of the fields cannot say."""
    if not NAME.fullmatch(config.server.name):
        raise ConfigError(f"{where}: server.name {quoted(config.server.name)}: not a name that GGS takes")
    if not is_host(config.server.host):
        raise ConfigError(f"{where}: server.host {quoted(config.server.host)}: not the name of a host")
    if config.metrics.host and not is_host(config.metrics.host):  # an empty one is all addresses there are
        raise ConfigError(f"{where}: metrics.host {quoted(config.metrics.host)}: not the name of a host")
    if config.engine.preset not in (NO_PRESET, *PRESETS):
        expected = ", ".join((NO_PRESET, *PRESETS))
        raise ConfigError(f"{where}: engine.preset {quoted(config.engine.preset)}: expected one of {expected}")
    lowest, highest = load_calibration("othello").range
    if config.engine.elo and not lowest <= config.engine.elo <= highest:
        raise ConfigError(f"{where}: engine.elo {config.engine.elo}: expected 0, or {lowest} to {highest}")
    for name in ("initial_s", "increment_s", "extension_s", "rating"):
        low, high = getattr(config.accept, name)
        if low > high:
            raise ConfigError(f"{where}: accept.{name}: {low:g} is more than {high:g}")
    for number, ask in enumerate(config.ask):
        for name, text in (("type", ask.type), ("clock", ask.clock)):
            if not WORD.fullmatch(text):
                raise ConfigError(f"{where}: ask[{number}].{name} {quoted(text)}: not one word of ASCII")
        try:
            kind = GameType.parse(ask.type)
            ClockSetting.parse(ask.clock)
        except WireError as error:
            raise ConfigError(f"{where}: ask[{number}]: {error}") from None
        if kind.board != 8:
            raise ConfigError(f"{where}: ask[{number}].type {quoted(ask.type)}: only boards of 8x8 are played")
        if ask.opponent and not NAME.fullmatch(ask.opponent):
            raise ConfigError(f"{where}: ask[{number}].opponent {quoted(ask.opponent)}: not a name")


def load_config(path: Path) -> Config:
    """A configuration from its file; ``~`` in its paths is the home directory.

    Raises:
        ConfigError: the file cannot be read, or as `read_config`, or the book it names is none: nobody would notice
            that the engine does without.
    """
    try:
        config = read_config(read_small(path).decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {reason_of(error)}") from None
    if config.engine.book and config.engine.book_file:
        require_book(config.engine, str(path))
    return config


def require_book(engine: EngineConfig, where: str) -> None:
    """
    Raises:
        ConfigError: the book cannot be read.
    """
    from fanqi.othello_book import BookError, shared_book  # only where one is named: it imports numpy

    engine.book_file = str(Path(engine.book_file).expanduser())
    try:
        shared_book(engine.book_file)
    except BookError as error:
        raise ConfigError(f"{where}: engine.book_file: {error}") from None


def find_password(server: ServerConfig) -> str:
    """The password, from its file if there is one, else from the environment.

    Raises:
        ConfigError: there is none, others may read the file, or GGS has no way to carry it.
    """
    if server.password_file:
        path = Path(server.password_file).expanduser()
        try:
            text = read_secret(path)
        except SecretError as error:
            raise ConfigError(f"server.password_file {str(path)!r}: {error}") from None
        where = f"the first line of {str(path)!r}"
    else:
        text, where = os.environ.get(server.password_env, ""), f"the environment variable {server.password_env}"
    if not text.strip() or not text.isprintable():
        raise ConfigError(f"no password: {where} is empty or not printable")
    if len(text) > LONGEST_PASSWORD or any(character > "\xff" for character in text):
        raise ConfigError(f"no password: {where} is not of at most {LONGEST_PASSWORD} Latin-1 characters")
    return text


EXAMPLE = """\
# Configuration of `fanqi ggs`. Everything but server.name may be left out; the values shown are the defaults.

[server]
name = "fanqi"                 # your account; on most servers an unknown name is created at the first login
host = "skatgame.net"
port = 5000
tls = false                    # TLS from the first byte on
tls_verify = true              # false takes any certificate
password_env = "FANQI_GGS_PASSWORD"  # the environment variable that holds the password,
password_file = ""             # or a file of mode 600 whose first line it is; never an argument
keep_alive_s = 60.0            # after so much silence an empty line is sent
patience_s = 15.0              # when nothing comes back in so much time the connection is given up
retry_first_s = 1.0            # wait before connecting again: doubled each time, drawn at random below that,
retry_longest_s = 120.0        # and never more than this

[engine]
searches = 1                   # searches at a time; several games share them
hash_mib = 64                  # for each game
threads = 1                    # for each search
skill_level = 20               # 0 to 20, which is full strength
elo = 0                        # as strong as this rating of docs/levels.md, whatever skill_level is; 0 for none
preset = "none"                # "beginner", "intermediate" or "advanced", whatever the two above are
contempt = 0                   # hundredths of a disc
book = true                    # play from an opening book
book_file = ""                 # another one than the shipped
book_variety = 0.5             # discs by which a move of it may be worse than the best
ponder = true                  # think on the opponent's time
move_time_s = 0.0              # the same time for every move; 0 plays by the clock
overhead_s = 0.5               # kept in reserve at each move, for the network and the server

[accept]
# patterns of types: * any letters, ? one, [bw] one of these. Boards other than 8x8 are always declined.
types = ["8", "8[bw]", "8a", "8[bw]a", "8k*", "s8*"]
rated = "any"                  # "yes", "no" or "any"
from_anybody = true            # also requests that name no opponent
initial_s = [10.0, 3600.0]     # least and most, in seconds
increment_s = [0.0, 60.0]
extension_s = [0.0, 3600.0]
equal_clocks = true            # not when the opponent gets more time than we do
rating = [0.0, 10000.0]        # of the opponent
opponents = ["*"]              # patterns of names
blocked = []
games = 1                      # matches at a time; a synchro match counts once
resume = true                  # go on with adjourned games when both are there

[offers]
undo = "never"                 # "never", "unrated" or "always"
abort = "unrated"
resign = false                 # give up when the score is
resign_discs = 40.0            # as bad as this
resign_moves = 3               # for so many moves; never in synchro games, where it would give up both

# Requests of our own, made in turn while there is room; repeat the table for more.
# [[ask]]
# type = "s8r20"
# clock = "5:00//2:00"         # initial/increment/extension; a bare number is minutes
# opponent = ""                # nobody in particular
# pause_s = 10.0               # between the end of a match and the next request
# give_up_s = 120.0            # then the request is withdrawn and the next one made

[stop]
matches = 0                    # after so many finished matches; 0 for never
after_s = 0.0                  # after so many seconds; matches in progress are played to their end

[records]
folder = "ggs-games"           # games.ggf and games.jsonl, one line a game

[metrics]
# port = 9108                  # Prometheus metrics and a health check under http://host:port/metrics and /healthz
host = "127.0.0.1"
"""
