"""From the words of a ``go`` to the limits of a search: whose clock is whose, and what the wait for a turn costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.game import MoveError, Player
from fanqi.search import Clock, Limits, Solve
from fanqi.uci.errors import END_OF_LINE, ProtocolError

if TYPE_CHECKING:
    from fanqi.game import Features, Position
    from fanqi.uci.commands import Go
    from fanqi.uci.notation import Notation

__all__ = ["charge", "describe", "limits_of"]


def limits_of(go: Go, position: Position, features: Features, notation: Notation) -> Limits:
    """The limits that ``go`` sets in ``position``; a ``go`` without any limit is infinite.

    Raises:
        ProtocolError: a clock under two names, no clock for the side to move, a move that is not legal here, or a
            limit that this game does not know.
    """
    if go.solve is not None and not features.solves:
        raise ProtocolError("not in this game", go.token("solve"), "solve")
    if go.selectivity is not None:
        check_selectivity(go, go.selectivity, features)
    moves = None if go.searchmoves is None else root_moves(go, position, notation)
    clock = clock_of(go, position.turn, features)
    bounded = any(limit is not None for limit in (go.depth, go.nodes, go.movetime, clock, go.solve))
    return Limits(
        depth=go.depth,
        nodes=go.nodes,
        movetime_ms=go.movetime,
        clock=clock,
        infinite=go.infinite or not (bounded or go.ponder),
        ponder=go.ponder,
        moves=moves,
        solve=go.solve,
        certainty=go.selectivity,
    )


def check_selectivity(go: Go, percent: int, features: Features) -> None:
    token = go.token("selectivity")
    if not features.certainties:
        raise ProtocolError("not in this game", token, "selectivity")
    if go.solve is not None:
        raise ProtocolError("a solution is exact", token, "selectivity")
    if percent not in features.certainties:
        raise ProtocolError(f"expected one of {', '.join(map(str, features.certainties))}", token + 1, str(percent))


def root_moves(go: Go, position: Position, notation: Notation) -> tuple[str, ...]:
    """The moves of ``searchmoves``, canonical, each once, flips without an outcome."""
    legal = position.legal_moves()
    moves: dict[str, None] = {}
    for token, text in enumerate(go.searchmoves or (), go.token("searchmoves") + 1):
        try:
            move = position.canonical(notation.read_move(text, token)).partition("=")[0]
        except MoveError as error:
            raise ProtocolError(notation.reword(error.reason), token, text) from None
        if move not in legal:  # a move of the opponent that leaves out our forced pass
            raise ProtocolError(notation.reword(f"not legal here; legal: {' '.join(legal)}"), token, text)
        moves[move] = None
    return tuple(moves)


def clock_of(go: Go, turn: Player, features: Features) -> Clock | None:
    """The clock of the side to move, or None if ``go`` speaks of no clock."""
    p2_clock = "b" if features.p1_clock == "w" else "w"
    players = {"p1": Player.P1, "p2": Player.P2, features.p1_clock: Player.P1, p2_clock: Player.P2}
    values: dict[tuple[Player, str], int] = {}
    for word, value in go.clock:
        colour = word[:2] if word[0] == "p" else word[0]
        key = (players[colour], word.removeprefix(colour))
        if key in values:
            raise ProtocolError("given twice", go.token(word), word)
        values[key] = value
    if not values:
        return None
    remaining = values.get((turn, "time"))
    if remaining is None:
        raise ProtocolError("the clock of the side to move is missing", go.token(), END_OF_LINE)
    increment = values.get((turn, "inc"), 0)
    return Clock(max(remaining, 0), max(increment, 0), go.movestogo or None)


def describe(limits: Limits, position: Position, notation: Notation) -> str:
    """The limits of a search of ``position`` in the words of ``go``, for people."""
    words = []
    for word, value in (("depth", limits.depth), ("nodes", limits.nodes), ("movetime", limits.movetime_ms)):
        if value is not None:
            words.append(f"{word} {value}")
    if limits.clock is not None:
        words.append(f"time {limits.clock.remaining_ms} inc {limits.clock.increment_ms}")
        if limits.clock.moves_to_go is not None:
            words.append(f"movestogo {limits.clock.moves_to_go}")
    if limits.solve is not None:
        words.append("solve wld" if limits.solve is Solve.WDL else "solve")
    if limits.certainty is not None:
        words.append(f"selectivity {limits.certainty}")
    words += [word for word, on in (("infinite", limits.infinite), ("ponder", limits.ponder)) if on]
    if limits.moves is not None:
        words += ["searchmoves", *(notation.write_move(position, move) for move in limits.moves)]
    return " ".join(words)


def charge(limits: Limits, waited_ms: float) -> Limits:
    """``limits`` after a wait: it comes off the clock, not off a fixed time a move."""
    if limits.clock is None or waited_ms <= 0:
        return limits
    remaining = max(limits.clock.remaining_ms - int(waited_ms), 0)
    return replace(limits, clock=replace(limits.clock, remaining_ms=remaining))
