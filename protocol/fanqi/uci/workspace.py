"""What a session's commands change and ask about: options, board, engine, scores, arbiter. No threads, no output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fanqi.game import FEATURES, RulesError, game_of_rules
from fanqi.uci.answers import BestMove
from fanqi.uci.board import Board
from fanqi.uci.commands import Evaluate, Go, IsReady, Perft, Query, SetOption, SetPosition, ShowBoard
from fanqi.uci.conduct import ScoreHistory
from fanqi.uci.errors import END_OF_LINE, ProtocolError
from fanqi.uci.limits import limits_of
from fanqi.uci.mind import Mind
from fanqi.uci.notation import VARIANTS
from fanqi.uci.questions import answer_query

if TYPE_CHECKING:
    from fanqi.arbiter import ArbiterError, Desk
    from fanqi.game import Features, Position
    from fanqi.search import Limits, SearchResult, Settings
    from fanqi.uci.budget import HashBudget
    from fanqi.uci.commands import Command
    from fanqi.uci.library import Library
    from fanqi.uci.notation import Notation, Variant
    from fanqi.uci.options import OptionTable, OptionValue

__all__ = ["Workspace"]


class Workspace:
    """Everything a session remembers. A refused command changes nothing.

    Args:
        table: the options there are.
        library: games; `ready` has to be asked before a command is carried out that needs one.
        budget: memory for the engine's table.
    """

    def __init__(self, table: OptionTable, library: Library, budget: HashBudget) -> None:
        self._table = table
        self._library = library
        self._values: dict[str, OptionValue] = table.defaults()
        self._rules_of: dict[str, str] = {}  # by game; none for the usual ones
        self._board: Board | None = None  # None until the chosen game is loaded
        self._scores = ScoreHistory()
        self._desk: Desk | None = None
        self.mind = Mind(budget)

    # --- what is set ----------------------------------------------------------------------------------------

    @property
    def variant(self) -> str:
        """The chosen game."""
        return self._chosen.game

    @property
    def notation(self) -> Notation:
        """How positions, moves and scores are written."""
        return self._chosen.notation

    @property
    def _chosen(self) -> Variant:
        return VARIANTS[str(self._values["UCI_Variant"])]

    @property
    def features(self) -> Features:
        """What the chosen game's engine can do."""
        features = FEATURES[self.variant]
        p1_clock = self.notation.p1_clock
        return features if p1_clock is None else replace(features, p1_clock=p1_clock)

    @property
    def board(self) -> Board:
        """The position of the chosen game, which has been loaded."""
        assert self._board is not None
        return self._board

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.board.position

    @property
    def settings(self) -> Settings:
        """The options as an engine takes them."""
        return self._table.settings(self._values)

    # --- games ----------------------------------------------------------------------------------------------

    def game_needed(self, command: Command) -> str | None:
        """The game without which a command cannot be carried out."""
        match command:
            case SetOption() if command.name.lower() == "rules" and self._changes(command):
                return self._game_of(command)
            case SetPosition() | Go() | Perft() | Evaluate() | ShowBoard() | Query() | IsReady():
                return self.variant
            case _:
                return None

    def _changes(self, command: SetOption) -> bool:
        """Whether the option ``Rules`` gets another value."""
        rules = str(self._table.find(command).read(command, self.variant))
        return self._rules_of.get(self._game_of(command), "") != rules

    def _game_of(self, command: SetOption) -> str:
        """The game that the rule parameters of a command are for: the chosen one if their text does not tell."""
        return game_of_rules(command.value or "") or self.variant

    def ready(self, name: str) -> bool:
        """Whether a game is loaded; puts its start position on the board if it is the chosen one."""
        game = self._library.get(name)
        if game is None:
            return False
        if name == self.variant and self._board is None:
            self._board = Board.of(game, self._rules)
        return True

    @property
    def _rules(self) -> str:
        return self._rules_of.get(self.variant, "")

    # --- commands -------------------------------------------------------------------------------------------

    def set_position(self, command: SetPosition) -> None:
        """Put another position on the board.

        Raises:
            ProtocolError: it, or one of the moves, is refused.
        """
        own = self.notation.read_position(command)
        try:
            self._board = self.board.follow(own)
        except ProtocolError as error:
            raise in_place(error, own, command, self.notation) from None

    def new_game(self) -> None:
        """The start position, and no memory of earlier scores; emptying the engine's is the session's work."""
        if self._board is not None:
            self._board = Board.of(self._board.game, self._board.rules)
        self._scores.clear()

    def set_option(self, command: SetOption) -> bool:
        """Set an option; the result says whether the engine's memory has to be emptied.

        Raises:
            ProtocolError: there is no such option, or it cannot have that value.
        """
        option = self._table.find(command)
        value = option.read(command, self.variant)
        if option.name == "Clear Hash":
            return True
        if option.name == "Rules":
            return self._changes(command) and self._set_rules(command, str(value))
        if value == self._values[option.name]:
            return False
        self._values[option.name] = value
        if option.name == "UCI_Variant":
            self._board = None
            self._scores.clear()
            self.mind.drop()
        return False

    def _set_rules(self, command: SetOption, rules: str) -> bool:
        name = self._game_of(command)
        game = self._library.get(name)
        assert game is not None
        board = self._board
        on_board = board is not None and board.game is game
        try:
            if board is not None and on_board:
                self._board = Board.of(game, rules, board.setup)
                self._scores.clear()
            else:
                game.start(rules)
        except RulesError as error:
            raise ProtocolError(error.reason, command.value_token, rules) from None
        except ProtocolError as error:
            what = f"the position cannot be kept under these rules, {error.what} ({error.text})"
            raise ProtocolError(what, command.value_token, rules or END_OF_LINE) from None
        self._rules_of[name] = rules
        return on_board

    def limits(self, go: Go) -> Limits:
        """What bounds the search that ``go`` asks for.

        Raises:
            ProtocolError: see `fanqi.uci.limits.limits_of`.
        """
        return limits_of(go, self.position, self.features, self.notation)

    def query(self, query: Query) -> str:
        """The answer to a question.

        Raises:
            ProtocolError: it is none.
        """
        scoring = str(self._values["Scoring"]) if self.features.scorings else ""
        return answer_query(query, self.position, scoring, self.notation)

    def arbiter(self, words: tuple[str, ...]) -> str:
        """The arbiter's answer, beginning with ``arbiter``.

        Raises:
            ProtocolError: the arbiter refuses.
        """
        from fanqi.arbiter import ArbiterError, Desk  # most sessions never deal

        if self._desk is None:
            self._desk = Desk()
        try:
            return self._desk.answer(words)
        except ArbiterError as error:
            raise arbiter_refusal(error, words) from None

    # --- best moves, draws and resignation ------------------------------------------------------------------

    def best_move(self, position: Position, move: str | None, result: SearchResult) -> BestMove:
        """A finished search as it is told; its score is noted, and says whether to resign or to offer a draw.

        Args:
            position: where it searched.
            move: its legal move; None when the game is over.
            result: what it found.
        """
        if result.infos and result.infos[0].score_cp is not None:
            self._scores.add(position.turn, result.infos[0].score_cp)
        limits = int(self._values["Resign Score"]), int(self._values["Draw Score"])
        conduct = self._scores.conduct(position.turn, *limits)
        if move is None:
            return BestMove(None, conduct=conduct)
        ponder = None
        if bool(self._values["Ponder"]) and move == result.move and result.ponder is not None:
            ponder = self.notation.write_move(position.play(move), result.ponder)
        return BestMove(self.notation.write_move(position, move), ponder, conduct)

    @property
    def accepts_draw(self) -> bool:
        """Whether a draw offered now is accepted."""
        return self._scores.accepts_draw(int(self._values["Draw Score"]))


def in_place(error: ProtocolError, own: SetPosition, command: SetPosition, notation: Notation) -> ProtocolError:
    """An error about a command in our own notation, with the place and the text of the command as it was given."""
    if own is command:
        return error
    what = notation.reword(error.what)
    if error.token < own.move_token(0):
        return ProtocolError(what, command.fen_token, command.fen or "")
    index = error.token - own.move_token(0)
    return ProtocolError(what, command.move_token(index), command.moves[index])


def arbiter_refusal(error: ArbiterError, words: tuple[str, ...]) -> ProtocolError:
    """An arbiter's refusal with the place in the line: ``words[0]`` is token 2."""
    from fanqi.arbiter import CommandError

    if isinstance(error, CommandError):
        return ProtocolError(error.reason, 2 + error.index, error.text or END_OF_LINE)
    if error.text in words:
        return ProtocolError(error.reason, 2 + words.index(error.text), error.text)
    return ProtocolError(error.reason, 1, "arbiter")
