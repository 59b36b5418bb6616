"""The options a session lists, what their values may be, and how they become `fanqi.search.Settings`.

An option is listed when at least one game can obey it; `fanqi.game.FEATURES` says which can.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fanqi.game import FEATURES
from fanqi.search import Settings
from fanqi.strength import NO_PRESET, PRESETS
from fanqi.uci.answers import OptionDeclaration
from fanqi.uci.errors import END_OF_LINE, ProtocolError
from fanqi.uci.notation import VARIANTS
from fanqi.uci.words import INTEGER, expected_integer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanqi.game import Features
    from fanqi.uci.commands import SetOption

__all__ = ["MAX_HASH_MIB", "Option", "OptionTable", "OptionValue", "option_table"]

MAX_HASH_MIB = 65_536
MAX_SCORE = 20_000

DECIMAL = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{1,6})?")

OptionValue = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        declaration: as the handshake lists it.
        setting: the field of `fanqi.search.Settings` it sets, or None when the session itself obeys it.
        largest: of a string that is a number with decimals, how far from zero it may be; None for any string.
        signed: whether that number may be below zero.
        ranges: of a spin that does not mean the same in every game: what a handshake lists for each. Any value in the
            range of some game is taken, since the game may be chosen later.
    """

    declaration: OptionDeclaration
    setting: str | None = None
    largest: float | None = None
    signed: bool = True
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.declaration.name

    def listed(self, game: str) -> OptionDeclaration:
        """How a handshake lists it while ``game`` is chosen."""
        if game not in self.ranges:
            return self.declaration
        lowest, highest = self.ranges[game]
        default = str(min(max(int(self.declaration.default or 0), lowest), highest))
        return replace(self.declaration, default=default, lowest=lowest, highest=highest)

    @property
    def checked_by_game(self) -> bool:
        """Whether only the game itself can tell if a value is good."""
        return self.name == "Rules"

    @property
    def default(self) -> OptionValue:
        """The value before anybody sets one. A button has none and gives an empty string."""
        text = self.declaration.default or ""
        match self.declaration.type:
            case "spin":
                return int(text)
            case "check":
                return text == "true"
            case "string" if self.largest is not None:
                return float(text)
            case _:
                return text

    def read(self, command: SetOption, game: str) -> OptionValue:
        """The value in ``command``; combo values come back as they are listed.

        Args:
            game: the chosen one, whose range an error names.

        Raises:
            ProtocolError: the option cannot have that value.
        """
        declared = self.declaration
        text = command.value
        match declared.type:
            case "spin":
                value = int(text) if text is not None and INTEGER.fullmatch(text) else None
                if value is None or not (declared.lowest or 0) <= value <= (declared.highest or 0):
                    listed = self.listed(game)
                    raise value_error(expected_integer(listed.lowest, listed.highest), command)
                return value
            case "check":
                if text is None or text.lower() not in ("true", "false"):
                    raise value_error("expected true or false", command)
                return text.lower() == "true"
            case "combo":
                for choice in declared.choices:
                    if text is not None and text.lower() == choice.lower():
                        return choice
                raise value_error(f"expected one of {', '.join(declared.choices)}", command)
            case "button":
                if text is not None:
                    raise value_error(f"{self.name} takes no value", command)
                return ""
            case "string" if self.largest is not None:
                smallest = -self.largest if self.signed else 0
                if text is None or not DECIMAL.fullmatch(text) or not smallest <= float(text) <= self.largest:
                    raise value_error(f"expected a number from {smallest:g} to {self.largest:g}", command)
                return float(text)
            case "string":
                return "" if text is None or text == "<empty>" else text


def value_error(what: str, command: SetOption) -> ProtocolError:
    return ProtocolError(what, command.value_token, command.value or END_OF_LINE)


class OptionTable:
    """All options by name, in any case. Shared by sessions and never changed."""

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options
        self._by_name = {option.name.lower(): option for option in options}

    def find(self, command: SetOption) -> Option:
        """The option that ``command`` names.

        Raises:
            ProtocolError: there is none of that name.
        """
        option = self._by_name.get(command.name.lower())
        if option is None:
            raise ProtocolError("no such option", command.name_token, command.name)
        return option

    def with_default(self, command: SetOption) -> OptionTable:
        """A table in which the option that ``command`` names starts with that value, and is listed so.

        Raises:
            ProtocolError: there is no such option, or it cannot have that value.
        """
        changed = self.find(command)
        chosen = self._by_name["uci_variant"].default
        value = changed.read(command, VARIANTS[str(chosen)].game)
        text = (
            str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
        )
        declaration = replace(changed.declaration, default=text)
        return OptionTable(
            tuple(replace(option, declaration=declaration) if option is changed else option for option in self.options)
        )

    def listed(self, game: str) -> list[OptionDeclaration]:
        """All options as a handshake lists them while ``game`` is chosen."""
        return [option.listed(game) for option in self.options]

    def defaults(self) -> dict[str, OptionValue]:
        """A fresh set of values, by the listed names."""
        return {option.name: option.default for option in self.options if option.declaration.type != "button"}

    def settings(self, values: Mapping[str, OptionValue]) -> Settings:
        """What an engine has to know of the values."""
        fields: dict[str, Any] = {
            option.setting: values[option.name] for option in self.options if option.setting is not None
        }
        return Settings(**fields)


def option_table(
    features: Mapping[str, Features] = FEATURES,
    max_hash_mib: int = MAX_HASH_MIB,
    max_threads: int | None = None,
    files: bool = True,
) -> OptionTable:
    """The options of a session.

    Args:
        features: the games there are, by name.
        max_hash_mib: the largest ``Hash``; the default is 64 or this, whichever is less.
        max_threads: the largest ``Threads``, if that is less than what the engines can do.
        files: whether there are options that name files of this machine.
    """
    obeyed = frozenset().union(*(game.settings for game in features.values()))
    threads = max(game.max_threads for game in features.values())
    threads = threads if max_threads is None else min(threads, max_threads)
    defaults = Settings()
    scorings = next((game.scorings for game in features.values() if game.scorings), ())
    names = tuple(name for name, variant in VARIANTS.items() if variant.game in features)
    candidates = (
        combo("UCI_Variant", names, names[0]),
        spin("Hash", min(defaults.hash_mib, max_hash_mib), 1, max_hash_mib, "hash_mib"),
        spin("Threads", defaults.threads, 1, threads, "threads"),
        Option(OptionDeclaration("Clear Hash", "button")),
        Option(OptionDeclaration("Ponder", "check", "false")),
        spin("MultiPV", defaults.multipv, 1, 64, "multipv"),
        spin("Skill Level", defaults.skill_level, 0, 20, "skill_level"),
        Option(OptionDeclaration("UCI_LimitStrength", "check", "false"), "limit_strength"),
        elo_option(defaults.elo, {name: game.elo for name, game in features.items()}),
        combo("Preset", (NO_PRESET, *PRESETS), defaults.preset, "preset"),
        spin("Move Overhead", defaults.move_overhead_ms, 0, 5000, "move_overhead_ms"),
        combo("Scoring", scorings, scorings[0] if scorings else ""),
        Option(OptionDeclaration("Rules", "string", "")),
        spin("Contempt", defaults.contempt, -1000, 1000, "contempt"),
        combo("Objective", ("most", "fewest"), defaults.objective, "objective"),
        Option(OptionDeclaration("Komi", "string", f"{defaults.draw_line:g}"), "draw_line", largest=64),
        Option(OptionDeclaration("Stakes", "check", "false"), "stakes"),
        Option(OptionDeclaration("EndgamePath", "string", ""), "endgame_path"),
        Option(OptionDeclaration("OwnBook", "check", "false"), "own_book"),
        Option(OptionDeclaration("BookFile", "string", ""), "book_path"),
        Option(OptionDeclaration("BookVariety", "string", "0"), "book_variety", largest=64, signed=False),
        spin("Seed", defaults.seed, 0, 2**31 - 1, "seed"),
        spin("Resign Score", 0, 0, MAX_SCORE),
        spin("Draw Score", 0, 0, MAX_SCORE),
    )
    absent = {
        "Threads": threads == 1,
        "BookFile": not files,
        "EndgamePath": not files,
        "Scoring": not scorings,
        "Rules": not any(game.rules for game in features.values()),
    }
    return OptionTable(
        tuple(
            option
            for option in candidates
            if not absent.get(option.name, False) and (option.setting is None or option.setting in obeyed)
        )
    )


def spin(name: str, default: int, lowest: int, highest: int, setting: str | None = None) -> Option:
    return Option(OptionDeclaration(name, "spin", str(default), lowest, highest), setting)


def elo_option(default: int, ranges: Mapping[str, tuple[int, int]]) -> Option:
    """``UCI_Elo``: the scale of each game ends where its own calibration does."""
    lowest = min(low for low, _ in ranges.values())
    highest = max(high for _, high in ranges.values())
    declaration = OptionDeclaration("UCI_Elo", "spin", str(min(max(default, lowest), highest)), lowest, highest)
    return Option(declaration, "elo", ranges=ranges)


def combo(name: str, choices: tuple[str, ...], default: str, setting: str | None = None) -> Option:
    return Option(OptionDeclaration(name, "combo", default, choices=choices), setting)
