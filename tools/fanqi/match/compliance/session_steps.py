"""What a session promises whatever the game: introductions, options, lines, errors, the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fanqi.match.compliance.probe import Probe, Violation
from fanqi.match.dialects import Timeouts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["FIRST_STEPS", "LAST_STEPS", "SESSION_STEPS"]

OPTION_TYPES = {
    "check": {"default"},
    "spin": {"default", "min", "max"},
    "combo": {"default", "var"},
    "button": set(),
    "string": {"default"},
}


async def introduces_itself(probe: Probe) -> None:
    """`uci` is answered by `id name`, `id author`, options and `uciok`"""
    probe.send("uci")
    before, _ = await probe.until("uciok", min(probe.patience_s, Timeouts().start))
    for line in before:
        if line.startswith("id name "):
            probe.name = line.removeprefix("id name ").strip()
        if line.startswith("option name "):
            name, _, rest = line.removeprefix("option name ").partition(" type ")
            probe.options[name] = rest
    for needed in ("id name ", "id author "):
        if not any(line.startswith(needed) for line in before):
            raise Violation(f"no {needed.strip()!r} before uciok")
    strange = [line for line in before if line and not line.startswith(("id ", "option ", "info string"))]
    if strange:
        raise Violation(f"{strange[0]!r} among the answers to uci")


async def options_are_well_formed(probe: Probe) -> None:
    """every `option` line has a type and what that type needs"""
    for name, rest in probe.options.items():
        words = rest.split()
        if not words or words[0] not in OPTION_TYPES:
            raise Violation(
                f"option {name}: type {words[:1] or ['missing']}, expected one of {', '.join(OPTION_TYPES)}"
            )
        missing = OPTION_TYPES[words[0]] - set(words[1:]) - ({"default"} if words[0] == "string" else set())
        if missing:
            raise Violation(f"option {name} of type {words[0]} says no {', '.join(sorted(missing))}")
        if words[0] == "spin" and not spin_in_range(words):
            raise Violation(f"option {name}: {rest!r} is no range with a default in it")


def spin_in_range(words: list[str]) -> bool:
    try:
        default, low, high = (int(words[words.index(key) + 1]) for key in ("default", "min", "max"))
    except (ValueError, IndexError):
        return False
    return low <= default <= high


async def gets_ready(probe: Probe) -> None:
    """`isready` is answered by one `readyok`"""
    said = await probe.ask()
    if said:
        raise Violation(f"{said[0]!r} before readyok")
    await probe.silence(0.1, "one isready, one readyok")


async def introduces_itself_again(probe: Probe) -> None:
    """`uci` is answered again later, with the same options"""
    probe.send("uci")
    before, _ = await probe.until("uciok")
    again = {line.removeprefix("option name ").partition(" type ")[0] for line in before if line.startswith("option")}
    if again != set(probe.options):
        raise Violation(f"other options than at first: {sorted(again ^ set(probe.options))}")


async def new_game_is_silent(probe: Probe) -> None:
    """`ucinewgame`, `debug off` and setting options say nothing"""
    for line in ("ucinewgame", "debug off", "setoption name Hash value 16"):
        if line.startswith("setoption") and not probe.has("Hash"):
            continue
        said = await probe.ask(line)
        if said:
            raise Violation(f"{line!r} is answered by {said[0]!r}")


async def names_are_read_in_any_case(probe: Probe) -> None:
    """option names are read in any case"""
    if not probe.has("Hash"):
        return
    said = await probe.ask("setoption name hASH value 16")
    if said:
        raise Violation(f"'hASH' is answered by {said[0]!r}")


async def lines_may_end_as_on_windows(probe: Probe) -> None:
    """CR LF, blank lines, comments and blanks around words are read"""
    probe.send_bytes(b"\r\n\n   \n# a comment\r\n  isready \t\r\n")
    before, _ = await probe.until("readyok")
    if before:
        raise Violation(f"{before[0]!r} among blank lines and comments")


async def unknown_words_are_refused(probe: Probe) -> None:
    """an unknown command is refused by one error line that names it, and the session goes on"""
    await probe.refusal("xyzzy 1 2", 1)


async def wrong_arguments_are_refused(probe: Probe) -> None:
    """missing, wrong, doubled and superfluous words are refused where they stand"""
    for line, token in (
        ("go depth", 3),
        ("go depth deep", 3),
        ("go depth 1 depth 2", 4),
        ("go sideways", 2),
        ("position", 2),
        ("position nowhere", 2),
        ("debug maybe", 2),
        ("isready now", 2),
    ):
        await probe.refusal(line, token)


async def bad_options_are_refused(probe: Probe) -> None:
    """unknown options and values out of range are refused"""
    await probe.refusal("setoption name No Such Option value 1", 3)
    if probe.has("Hash"):
        await probe.refusal("setoption name Hash value much", 5)
        await probe.refusal("setoption name Hash value -1", 5)


async def long_lines_are_refused(probe: Probe) -> None:
    """a line of more than 65,536 bytes is refused by one error line and skipped"""
    probe.send_bytes(b"position startpos moves " + b"f5 " * 50_000 + b"\nisready\n")
    before, _ = await probe.until("readyok")
    errors = [line for line in before if line.startswith("info string error: ")]
    if len(errors) != 1 or "65536" not in errors[0]:
        raise Violation(f"expected one error that says 65536, there are {errors[:2] or 'none'}")


async def bytes_that_are_no_text_are_refused(probe: Probe) -> None:
    """bytes that are not UTF-8 are refused by one error line"""
    probe.send_bytes(b"position \xff\xfe\xfd\nisready\n")
    before, _ = await probe.until("readyok")
    errors = [line for line in before if line.startswith("info string error: ")]
    if len(errors) != 1:
        raise Violation(f"expected one error line, there are {len(errors)}")


async def help_is_given(probe: Probe) -> None:
    """`help` answers something"""
    if not await probe.ask("help"):
        raise Violation("help says nothing")


async def ends_when_told(probe: Probe) -> None:
    """`quit` in the middle of a search prints its `bestmove` and ends the process"""
    probe.send("position startpos", "go infinite")
    await asyncio.sleep(0.2)
    probe.send("quit")
    await probe.until("bestmove", 5.0)
    for _ in range(100):
        if probe.gone is not None:
            break
        await asyncio.sleep(0.05)
    if probe.gone is None:
        raise Violation("it runs on after quit")
    if "code 0" not in probe.gone.detail and "closed" not in probe.gone.detail:
        raise Violation(f"it {probe.gone.detail}, expected exit code 0")


FIRST_STEPS: list[Callable[[Probe], Awaitable[None]]] = [introduces_itself, options_are_well_formed]

SESSION_STEPS: list[Callable[[Probe], Awaitable[None]]] = [
    introduces_itself_again,
    new_game_is_silent,
    names_are_read_in_any_case,
    lines_may_end_as_on_windows,
    unknown_words_are_refused,
    wrong_arguments_are_refused,
    bad_options_are_refused,
    long_lines_are_refused,
    bytes_that_are_no_text_are_refused,
    help_is_given,
]

LAST_STEPS: list[Callable[[Probe], Awaitable[None]]] = [ends_when_told]
