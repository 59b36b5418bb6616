"""Engines as a user describes them, and back: ``NAME=[DIALECT:]COMMAND [option.X=V] [tc=…] …``."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field, replace

from fanqi.game import quoted
from fanqi.match.dialects import DIALECTS, option_key
from fanqi.match.errors import ConfigurationError
from fanqi.match.limit import DEFAULT_LIMIT, Limit, parse_time_control
from fanqi.match.tcp import parse_address

__all__ = [
    "BUILTINS",
    "EngineSpec",
    "apply_settings",
    "command_words",
    "parse_command",
    "parse_engine",
    "parse_settings",
]

SIMPLE = ("random", "greedy")
BUILTINS = (*SIMPLE, "fanqi")
WHOLE_NUMBERS = ("movetime", "depth", "nodes", "timemargin")
MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One participant of a match.

    Attributes:
        name: unique in the match, for tables, records and file names.
        command: a command line, ``tcp://host:port`` or ``builtin:KIND``, without the dialect.
        dialect: one of `fanqi.match.dialects.DIALECTS`.
        limit: what it may think.
        options: set at its start.
        directory: where its process runs; empty for here.
    """

    name: str
    command: str
    dialect: str
    limit: Limit
    options: dict[str, str] = field(default_factory=dict)
    directory: str = ""

    @property
    def builtin(self) -> str | None:
        """Which of `BUILTINS` it is, if any."""
        return self.command.removeprefix("builtin:") if self.command.startswith("builtin:") else None

    @property
    def thinks(self) -> bool:
        """Whether a limit makes a difference to it."""
        return self.builtin not in SIMPLE

    @property
    def address(self) -> tuple[str, int] | None:
        """Where to connect, if it is on the network."""
        return parse_address(self.command) if self.command.startswith("tcp://") else None

    @property
    def arguments(self) -> list[str]:
        """The words of its command line; see `command_words`."""
        return command_words(self.command)

    def number(self, option: str, default: int) -> int:
        """An option that is a whole number, in any case; ``default`` where it is not set or is none."""
        for name, value in self.options.items():
            if option_key(name) == option_key(option) and value.strip().isdecimal() and len(value) < 19:
                return int(value)
        return default


def parse_engine(text: str, limit: Limit | None, each: dict[str, str] | None = None) -> EngineSpec:
    """An engine from its description.

    Args:
        text: as the user wrote it, see `parse_command`.
        limit: used where the engine has none of its own; None for `DEFAULT_LIMIT`.
        each: settings for all engines, which its own override.

    Raises:
        ConfigurationError: no name, no command, an unknown builtin, or a bad value.
    """
    spec, settings = parse_command(text)
    return apply_settings(spec, {**(each or {}), **settings}, limit)


def parse_command(text: str) -> tuple[EngineSpec, dict[str, str]]:
    """Name and command of an engine, under `DEFAULT_LIMIT`, and its settings, which `apply_settings` reads.

    Trailing words of the forms ``option.NAME=VALUE``, ``tc=…``, ``movetime=…``, ``depth=…``, ``nodes=…``,
    ``timemargin=…`` and ``dir=…`` are settings; the rest is the command.

    Raises:
        ConfigurationError: no name, no command, or an unknown builtin.
    """
    name, equals, command = text.partition("=")
    name = name.strip()
    if not equals or not name or not command.strip():
        raise ConfigurationError(f"engine {quoted(text)}: expected NAME=COMMAND")
    if len(name) > MAX_NAME or any(letter in '/\\:*?"<>|\n\t' or not letter.isprintable() for letter in name):
        raise ConfigurationError(f"engine name {quoted(name)}: up to {MAX_NAME} letters that a file name can have")
    words = split_words(command)
    settings: dict[str, str] = {}
    while len(words) > 1 and is_setting(words[-1]):
        key, _, value = words.pop().partition("=")
        settings.setdefault(key, value)
    dialect, command = split_dialect(join_words(words))
    if not command:
        raise ConfigurationError(f"engine {name}: no command after {dialect}:")
    spec = EngineSpec(name, command, dialect, DEFAULT_LIMIT, {}, settings.pop("dir", ""))
    check_command(spec)
    return spec, settings


def apply_settings(spec: EngineSpec, settings: dict[str, str], limit: Limit | None) -> EngineSpec:
    """The engine with options and limits from ``key=value`` settings.

    Args:
        limit: as for `parse_engine`.

    Raises:
        ConfigurationError: a bad value.
    """
    options: dict[str, str] = {}
    limits: dict[str, object] = {}
    for key, value in settings.items():
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key == "tc":
            limits["tc"] = parse_time_control(value)
        else:
            limits["timemargin_ms" if key == "timemargin" else MS_FIELDS.get(key, key)] = whole(spec.name, key, value)
    own = set(limits) - {"timemargin_ms"}
    if limit is None and not own and spec.dialect == "nboard":
        # the one limit that NBoard has a word for is set like an option
        for name, value in options.items():
            if option_key(name) == "depth":
                limits["depth"] = whole(spec.name, f"option.{name}", value)
                own = {"depth"}
    common = limit or DEFAULT_LIMIT
    if own:
        chosen = Limit(**{"timemargin_ms": common.timemargin_ms, **limits})  # type: ignore[arg-type]
    else:
        chosen = replace(common, **limits)  # type: ignore[arg-type]
    return replace(spec, limit=chosen, options=options)


MS_FIELDS = {"movetime": "movetime_ms"}


def parse_settings(text: str) -> dict[str, str]:
    """Settings for all engines, such as ``option.Hash=64 timemargin=100``.

    Raises:
        ConfigurationError: a word that is no setting.
    """
    settings: dict[str, str] = {}
    for word in split_words(text):
        if not is_setting(word) or word.startswith("dir="):
            raise ConfigurationError(f"setting {quoted(word)}: expected option.NAME=VALUE, tc, movetime, depth, …")
        key, _, value = word.partition("=")
        settings[key] = value
    return settings


def is_setting(word: str) -> bool:
    key, equals, _ = word.partition("=")
    if not equals:
        return False
    return key in ("tc", "dir", *WHOLE_NUMBERS) or (key.startswith("option.") and len(key) > 7)


def whole(name: str, key: str, value: str) -> int:
    least = 0 if key == "timemargin" else 1
    if not (value.isascii() and value.isdecimal()) or len(value) > 15 or int(value) < least:
        raise ConfigurationError(f"engine {name}: {key}={value}: expected an integer of at least {least}")
    return int(value)


def split_dialect(command: str) -> tuple[str, str]:
    """The dialect in front of a command, ours if there is none."""
    name, colon, rest = command.partition(":")
    if colon and name in DIALECTS and not rest.startswith("//"):
        return name, rest.strip()
    return "fanqi", command


def check_command(spec: EngineSpec) -> None:
    """Refuse what can be known to be wrong without starting anything."""
    if spec.builtin is not None and spec.builtin not in BUILTINS:
        raise ConfigurationError(
            f"engine {spec.name}: there is no {spec.command}, only {', '.join('builtin:' + b for b in BUILTINS)}"
        )
    if spec.builtin is not None and spec.dialect != "fanqi":
        raise ConfigurationError(f"engine {spec.name}: a builtin speaks no dialect")
    if spec.address is None and spec.builtin is None and not spec.arguments:
        raise ConfigurationError(f"engine {spec.name}: no command")


def command_words(command: str) -> list[str]:
    """The words of a command line. ``fanqi`` as the first one is this installation, on the path or not.

    Raises:
        ConfigurationError: a quotation that does not end.
    """
    words = split_words(command)
    if words[:1] == ["fanqi"]:
        return [sys.executable, "-P", "-m", "fanqi.cli", *words[1:]]
    return words


def split_words(text: str) -> list[str]:
    """Words by the rules of a shell (on Windows backslashes are kept).

    Raises:
        ConfigurationError: a quotation that does not end.
    """
    try:
        words = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise ConfigurationError(f"command {quoted(text)}: {error}") from None
    return words if os.name == "posix" else [word.strip('"') for word in words]


def join_words(words: list[str]) -> str:
    return shlex.join(words) if os.name == "posix" else " ".join(f'"{w}"' if " " in w else w for w in words)
