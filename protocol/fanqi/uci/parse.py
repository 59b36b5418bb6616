"""From a line to a command and back. Pure functions: ``parse_command(format_command(c)) == c``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from fanqi.search import Solve
from fanqi.uci.commands import (
    MAX_DEPTH,
    ArbiterCommand,
    Debug,
    Draw,
    Evaluate,
    Go,
    Handshake,
    Help,
    IsReady,
    NewGame,
    Perft,
    PonderHit,
    Query,
    Quit,
    SetOption,
    SetPosition,
    ShowBoard,
    Stop,
)
from fanqi.uci.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.uci.commands import Command

__all__ = ["CLOCK_WORDS", "format_command", "parse_command"]

CLOCK_WORDS = ("p1time", "p2time", "p1inc", "p2inc", "wtime", "btime", "winc", "binc")
LIMIT_WORDS = (
    "depth",
    "nodes",
    "movetime",
    "movestogo",
    "infinite",
    "ponder",
    "solve",
    "selectivity",
    "searchmoves",
    "perft",
    *CLOCK_WORDS,
)


def parse_command(line: str | bytes) -> Command | None:
    """The command in ``line``, or None for a blank line or a comment.

    Raises:
        ProtocolError: the line is no command, with the number and text of the word where that shows.
    """
    words = Words(line)
    first = words.peek()
    if first is None or first.startswith("#"):
        return None
    parser = PARSERS.get(first)
    if parser is None:
        raise words.error("unknown command")
    words.take("")
    command = parser(words)
    words.expect_end()
    return command


def parse_debug(words: Words) -> Debug:
    return Debug(words.take_one_of("on", "off") == "on")


def parse_setoption(words: Words) -> SetOption:
    words.take_one_of("name")
    start = words.error("expected the name of an option")
    name = " ".join(words.take_until("value"))
    if not name:
        raise start
    return SetOption(name, words.take_rest() if words.take_if("value") else None)


def parse_position(words: Words) -> SetPosition:
    if words.take_one_of("startpos", "fen") == "startpos":
        fen = None
    else:
        start = words.error("expected a position")
        fen = " ".join(words.take_until("moves"))
        if not fen:
            raise start
    moves = tuple(words.take_until()) if words.take_if("moves") else ()
    return SetPosition(fen, moves)


def parse_go(words: Words) -> Go | Perft:
    if words.take_if("perft"):
        perft = Perft(words.take_integer(1, MAX_DEPTH))
        if words.peek() in LIMIT_WORDS:
            raise words.error("perft stands alone")
        return perft
    values: dict[str, Any] = {}
    clock: dict[str, int] = {}
    tokens: dict[str, int] = {}
    while word := words.peek():
        if word in tokens:
            raise words.error("given twice")
        if word == "perft":
            raise words.error("perft stands alone")
        if word not in LIMIT_WORDS:
            raise words.error("expected a limit such as depth, movetime or infinite")
        tokens[word] = words.number
        words.take("")
        match word:
            case "depth":
                values[word] = words.take_integer(1, MAX_DEPTH)
            case "nodes" | "movetime":
                values[word] = words.take_integer(1 if word == "nodes" else 0)
            case "movestogo":
                values[word] = words.take_integer(0)
            case "infinite" | "ponder":
                values[word] = True
            case "solve":
                values[word] = Solve.WDL if words.take_if("wld") else Solve.SCORE
            case "selectivity":
                values[word] = words.take_integer(1, 100)
            case "searchmoves":
                values[word] = tuple(words.take_until(*LIMIT_WORDS))
                if not values[word]:
                    raise words.error("expected a move")
            case _:
                clock[word] = words.take_integer()
    tokens[""] = words.number
    return Go(**values, clock=tuple(clock.items()), tokens=tokens)


def parse_query(words: Words) -> Query:
    return Query(words.take("a question such as legal or result"), tuple(words.take_until()))


def parse_arbiter(words: Words) -> ArbiterCommand:
    return ArbiterCommand(tuple(words.take_until()))


PARSERS: dict[str, Callable[[Words], Command]] = {
    "uci": lambda words: Handshake("uci"),
    "ugi": lambda words: Handshake("ugi"),
    "isready": lambda words: IsReady(),
    "ucinewgame": lambda words: NewGame(),
    "uginewgame": lambda words: NewGame(),
    "debug": parse_debug,
    "setoption": parse_setoption,
    "position": parse_position,
    "go": parse_go,
    "stop": lambda words: Stop(),
    "ponderhit": lambda words: PonderHit(),
    "quit": lambda words: Quit(),
    "d": lambda words: ShowBoard(),
    "eval": lambda words: Evaluate(),
    "help": lambda words: Help(),
    "query": parse_query,
    "draw": lambda words: Draw(),
    "arbiter": parse_arbiter,
}


def format_command(command: Command) -> str:
    """The line that `parse_command` reads as ``command``."""
    match command:
        case Handshake(protocol):
            return protocol
        case IsReady():
            return "isready"
        case NewGame():
            return "ucinewgame"
        case Debug(on):
            return f"debug {'on' if on else 'off'}"
        case SetOption(name, value):
            return f"setoption name {name}" if value is None else f"setoption name {name} value {value}".rstrip()
        case SetPosition(fen, moves):
            base = "position startpos" if fen is None else f"position fen {fen}"
            return f"{base} moves {' '.join(moves)}" if moves else base
        case Go():
            return " ".join(("go", *go_words(command)))
        case Perft(depth):
            return f"go perft {depth}"
        case Stop():
            return "stop"
        case PonderHit():
            return "ponderhit"
        case Quit():
            return "quit"
        case ShowBoard():
            return "d"
        case Evaluate():
            return "eval"
        case Help():
            return "help"
        case Query(what, arguments):
            return " ".join(("query", what, *arguments))
        case Draw():
            return "draw"
        case ArbiterCommand(words):
            return " ".join(("arbiter", *words))
        case _:
            assert_never(command)


def go_words(go: Go) -> list[str]:
    """The words after ``go``; the moves come last, so that their number in the line says nothing else."""
    words: list[str] = []
    if go.ponder:
        words.append("ponder")
    if go.infinite:
        words.append("infinite")
    if go.solve is not None:
        words += ["solve", "wld"] if go.solve is Solve.WDL else ["solve"]
    for name, value in go.clock:
        words += [name, str(value)]
    for name in ("depth", "nodes", "movetime", "movestogo", "selectivity"):
        if (value := getattr(go, name)) is not None:
            words += [name, str(value)]
    if go.searchmoves is not None:
        words += ["searchmoves", *go.searchmoves]
    return words
