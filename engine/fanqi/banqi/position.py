"""An immutable banqi position: the face of the rule kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from fanqi.banqi.board import BLACK, COVERED, FULL_SET, LETTERS, OPEN, PIECE_ORDER, RED, SQUARE_NAMES
from fanqi.banqi.chase import COUNTER_BITS, pack_counter
from fanqi.banqi.entry import apply_flip, apply_move, find_ending, list_moves
from fanqi.banqi.moves import ALL_BANNED, EXTINCT, MAX_MOVES, NO_MOVES, RUNNING
from fanqi.banqi.notation import Counter, Move, Setup, format_setup, parse_move, parse_setup
from fanqi.banqi.picture import draw
from fanqi.banqi.state import BAG, CHASE_WORDS, CHASES, KEY, MEN, QUIET, SQUARES, TURN, new_state
from fanqi.game import GameError, MoveError, Outcome, Player, QuestionError, RulesError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fanqi.banqi.rules import Rules

__all__ = ["Position", "stake_points"]

QUESTIONS = ("banned", "captured", "covered", "stake")
_REASONS = {EXTINCT: "extinct", NO_MOVES: "no_moves", ALL_BANNED: "all_banned"}


def stake_points(captured: int) -> int:
    """What a win is worth when the loser has captured that many men: 5 (up to 5), 3 (up to 12) or 1."""
    if captured <= 5:
        return 5
    return 3 if captured <= 12 else 1


class Position:
    """One state of a game; implements `fanqi.game.Position`.

    Make one with `parse`, then go on with `play`. Equal positions have the same state, rules and seats.
    """

    __slots__ = ("_history", "_p1", "_ply", "_rules", "_state")

    def __init__(
        self,
        state: NDArray[np.int64],
        rules: Rules,
        p1: int | None,
        ply: int = 0,
        history: tuple[int, ...] = (),
    ) -> None:
        """For `parse` and `play` only.

        Args:
            state: words as in `fanqi.banqi.state`; becomes read-only.
            rules: parameters, which the state holds too.
            p1: p1's colour, None before the first flip.
            ply: plies since the position the game was set up from.
            history: keys of the positions before this one back to the last capture or flip; kept only where
                repetition matters.
        """
        state.flags.writeable = False
        self._state = state
        self._rules = rules
        self._p1 = p1
        self._ply = ply
        self._history = history

    @classmethod
    def parse(cls, fen: str, rules: Rules) -> Self:
        """A position from its notation; p1 is the side to move.

        Raises:
            PositionError: it cannot be read, or cannot be.
        """
        setup = parse_setup(fen, rules)
        bag = [setup.hidden.count(LETTERS.index(letter)) for letter in PIECE_ORDER]
        state = new_state(list(setup.codes), bag, setup.turn, setup.quiet, rules.chase, rules.no_progress)
        used = [0, 0]
        for counter in setup.counters:
            word, place = divmod(used[counter.colour], 4)
            used[counter.colour] += 1
            packed = pack_counter(counter.chaser, counter.target, counter.count)
            state[CHASES + CHASE_WORDS * counter.colour + word] |= packed << (COUNTER_BITS * place)
        return cls(state, rules, None if setup.turn == OPEN else setup.turn)

    # --- what is where --------------------------------------------------------------------------------------

    @property
    def state(self) -> NDArray[np.int64]:
        """The words the kernels work on (read-only)."""
        return self._state

    @property
    def rules(self) -> Rules:
        """The rule parameters the game is played under."""
        return self._rules

    @property
    def history(self) -> tuple[int, ...]:
        """Keys of the positions since the last capture or flip, oldest first; empty without that rule."""
        return self._history

    @property
    def turn(self) -> Player:
        """Who is to move (also in a finished game: who would be)."""
        return Player.P1 if self._p1 is None or int(self._state[TURN]) == self._p1 else Player.P2

    @property
    def ply(self) -> int:
        """Plies played since the position the game was set up from."""
        return self._ply

    def colour(self, player: Player) -> int | None:
        """The colour of a player, 0 red or 1 black; None before the first flip."""
        if self._p1 is None:
            return None
        return self._p1 if player is Player.P1 else 1 - self._p1

    def piece(self, square: str) -> str:
        """The letter on a square: ``.`` empty, ``X`` covered."""
        return LETTERS[int(self._codes()[SQUARE_NAMES.index(square)])]

    def covered(self) -> str:
        """The letters of the covered pieces, sorted."""
        return "".join(letter * self._bag(piece) for piece, letter in enumerate(PIECE_ORDER))

    def captured(self) -> str:
        """The letters of the men captured so far, sorted; a man missing from a set-up position is one."""
        board = "".join(LETTERS[code] for code in self._codes())
        return "".join(
            letter * (FULL_SET[piece % 7] - self._bag(piece) - board.count(letter))
            for piece, letter in enumerate(PIECE_ORDER)
        )

    def stake(self, winner: Player) -> int:
        """The stake multiplier if ``winner`` won now, as by a resignation."""
        colour = self.colour(winner)
        return 5 if colour is None else stake_points(16 - int(self._state[MEN + colour]))

    # --- moves ----------------------------------------------------------------------------------------------

    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves, sorted; empty if and only if the game is over. A flip is the bare square."""
        return () if self.outcome() is not None else self._moves(banned=False)

    def banned_moves(self) -> tuple[str, ...]:
        """The moves that only the chase ban forbids, sorted."""
        return () if self.outcome() is not None else self._moves(banned=True)

    def canonical(self, move: str) -> str:
        """``move`` in canonical notation, checked for legality; a flip may lack its outcome.

        Raises:
            MoveError: not a move, not legal here, or an outcome that is not covered any more.
        """
        return str(self._check(move))

    def needs_reveal(self, move: str) -> bool:
        """Whether a canonical move is a flip that still lacks its outcome."""
        return len(move) == 2

    def play(self, move: str) -> Self:
        """The position after ``move``.

        Raises:
            MoveError: as for `canonical`, and for a flip without its outcome.
        """
        checked = self._check(move)
        state = self._state.copy()
        p1 = self._p1
        if checked.is_flip:
            if checked.outcome is None:
                raise MoveError(move, "a flip in a move list needs its outcome, such as b8=P")
            if p1 is None:
                p1 = checked.outcome >> 3
            apply_flip(state, checked.origin, checked.outcome)
        else:
            apply_move(state, checked.origin, checked.target)
        history: tuple[int, ...] = ()
        if self._rules.repetition and state[QUIET]:
            history = (*self._history, int(self._state[KEY]))
        return type(self)(state, self._rules, p1, self._ply + 1, history)

    def outcome(self, scoring: str = "") -> Outcome | None:
        """The result if the game is over by its rules: ``margin`` is in stake points from p1's view.

        Raises:
            RulesError: a scoring convention was asked for; there are none.
        """
        if scoring:
            raise RulesError(scoring, "banqi has no scoring conventions")
        end = find_ending(self._state)
        if end in _REASONS:
            if end == EXTINCT:
                loser = RED if self._state[MEN + RED] == 0 else BLACK
            else:
                loser = int(self._state[TURN])
            winner = Player.P2 if loser == self._p1 else Player.P1
            points = self.stake(winner)
            return Outcome(winner, _REASONS[end], points if winner is Player.P1 else -points)
        if end != RUNNING:
            return Outcome(None, "no_progress", 0)
        if self._rules.repetition and self._history.count(int(self._state[KEY])) + 1 >= self._rules.repetition:
            return Outcome(None, "repetition", 0)
        return None

    # --- text -----------------------------------------------------------------------------------------------

    def setup(self) -> Setup:
        """The position as its notation states it, covered pieces sorted."""
        hidden = tuple(LETTERS.index(letter) for letter in self.covered())
        turn, quiet = int(self._state[TURN]), int(self._state[QUIET])
        return Setup(tuple(int(code) for code in self._codes()), hidden, turn, quiet, self._counters())

    def fen(self) -> str:
        """The position in the notation `parse` reads, covered pieces sorted."""
        return format_setup(self.setup())

    def picture(self) -> str:
        """The board for people, several lines without a trailing newline."""
        players = {self.colour(player): player.name.lower() for player in Player}
        return draw(self.setup(), self.captured(), self._rules, players)

    def facts(self, what: str, arguments: tuple[str, ...] = ()) -> str:
        """Answers ``banned`` (moves only the chase ban forbids), ``captured``, ``covered`` (letters) and
        ``stake p1|p2`` (the multiplier if that player won now); ``-`` for nothing.

        Raises:
            QuestionError: any other question.
            GameError: an argument is wrong or too many, or is missing; its text is then "".
        """
        match what, arguments:
            case "banned", ():
                return " ".join(self.banned_moves()) or "-"
            case "captured", ():
                return self.captured() or "-"
            case "covered", ():
                return self.covered() or "-"
            case "stake", ("p1" | "p2" as player,):
                return str(self.stake(Player.P1 if player == "p1" else Player.P2))
            case "stake", ("p1" | "p2", second, *_):
                raise GameError(second, "stake takes one player")
            case "stake", _:
                raise GameError(arguments[0] if arguments else "", "expected p1 or p2")
            case "banned" | "captured" | "covered", (first, *_):
                raise GameError(first, f"{what} takes nothing")
        raise QuestionError(what, QUESTIONS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"<Position {self.fen()}{f' ({self._rules})' if str(self._rules) else ''}>"

    # --- inside ---------------------------------------------------------------------------------------------

    def _identity(self) -> tuple[object, ...]:
        return (self._state.tobytes(), self._rules, self._p1, self._history)

    def _codes(self) -> NDArray[np.uint8]:
        return self._state[SQUARES : SQUARES + 4].view(np.uint8)

    def _bag(self, piece: int) -> int:
        return int(self._state[BAG]) >> (4 * piece) & 15

    def _counters(self) -> tuple[Counter, ...]:
        counters = []
        for word in range(2 * CHASE_WORDS):
            rest = int(self._state[CHASES + word])
            while rest:
                counters.append(Counter(word // CHASE_WORDS, rest >> 5 & 31, rest & 31, rest >> 10 & 31))
                rest >>= COUNTER_BITS
        return tuple(sorted(counters, key=lambda c: (c.colour, c.chaser, c.target)))

    def _moves(self, *, banned: bool) -> tuple[str, ...]:
        numbers = np.empty(MAX_MOVES, np.int64)
        count = list_moves(self._state, numbers, int(banned))
        return tuple(sorted(str(Move(int(n) >> 5, int(n) & 31)) for n in numbers[:count]))

    def _check(self, text: str) -> Move:
        move = parse_move(text)
        bare = str(Move(move.origin, move.target))
        if bare not in self.legal_moves():
            raise MoveError(text, self._why_not(move, bare))
        if move.outcome is not None:
            piece = PIECE_ORDER.index(LETTERS[move.outcome])
            if self._bag(piece) == 0:
                raise MoveError(text, f"no {LETTERS[move.outcome]} is covered any more")
        return move

    def _why_not(self, move: Move, bare: str) -> str:
        if (outcome := self.outcome()) is not None:
            return f"the game is over ({outcome.reason})"
        if bare in self.banned_moves():
            return f"one chase too many: the same piece may be chased {self._rules.chase} times in succession"
        code = int(self._codes()[move.origin])
        if move.is_flip:
            return f"{SQUARE_NAMES[move.origin]} is not covered"
        if code == 0:
            return f"{SQUARE_NAMES[move.origin]} is empty"
        if code == COVERED:
            return f"{SQUARE_NAMES[move.origin]} is covered"
        if code >> 3 != self._state[TURN]:
            return f"{SQUARE_NAMES[move.origin]} is not a piece of the side to move"
        target = self.piece(SQUARE_NAMES[move.target])
        where = {".": "an empty square", "X": "a covered piece"}.get(target, target)
        origin, destination = SQUARE_NAMES[move.origin], SQUARE_NAMES[move.target]
        return f"{LETTERS[code]} cannot go from {origin} to {where} on {destination}"
