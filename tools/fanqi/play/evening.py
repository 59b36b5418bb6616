"""The conversation of an evening: whose turn it is, what the person says, what becomes of each game."""

from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.arbiter import ArbiterError
from fanqi.drawing import banqi_name
from fanqi.files import described
from fanqi.files.whole import write_whole
from fanqi.game import MoveError, Player
from fanqi.play.strength import StrengthError
from fanqi.records import RecordError, format_for_suffix

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Outcome
    from fanqi.play.opponent import Opponent
    from fanqi.play.screen import Screen
    from fanqi.play.table import Table
    from fanqi.records import GameRecord

__all__ = ["Evening", "Plan"]

HELP = """\
  a move        f5, pass; banqi: b8 turns a piece up, b8a8 or b8-a8 moves or captures
  undo          take your last move back, and the answer to it (not in banqi)
  hint          the best moves, as the engine sees them at full strength
  moves         what you may play
  level L       0 to 20 (full strength), beginner, intermediate, advanced, or elo N
  save FILE     write a record: .ggf .sgf .pgn .txt .tcga .jsonl
  draw          offer a draw
  resign, quit"""

HELP_DRAW = """\
  1 to 5        take that piece
  quit"""

HELP_AFTERWARDS = """\
  rematch       another game with the seats changed
  analyse       have every move of the game judged
  save FILE     write a record: .ggf .sgf .pgn .txt .tcga .jsonl
  quit          also Enter"""

WORDS_AFTERWARDS = ("rematch", "analyse", "analyze", "save")

HELP_PROOF = """\
  FILE          write the proof of the deal there
  Enter         no proof
  quit"""

NO_UNDO = (
    "Banqi knows no take-back: a move once made stands, and a piece once turned up has been seen. "
    "That is the rule, and a deal that is proved at the end allows nothing else."
)

YES = ("y", "yes")
DRAW_PLIES = 20
"""Before so many plies nothing is decided that a draw could be agreed on."""
HINT_MOVES = 8
"""So much of a line is shown."""
LOST_BY = {
    "extinct": "no men left",
    "no_moves": "no move left",
    "all_banned": "only moves left that are banned as endless chases",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How the person wants to play.

    Attributes:
        person: the person's seat; None where the five-piece draw decides.
        name: the person's name in records.
        date: for records.
        seed: of the engine's pick in the draw.
    """

    person: Player | None
    name: str = "you"
    date: str = ""
    seed: int = 0


class Evening:
    """Games between one person and the engine, from the first word to the last.

    Args:
        table: the first game.
        opponent: the engine.
        screen: where the person is.
        plan: how the person wants to play.
        next_table: a table for another game.
        review: has a game judged and shows that.
    """

    def __init__(
        self,
        table: Table,
        opponent: Opponent,
        screen: Screen,
        plan: Plan,
        next_table: Callable[[], Table],
        review: Callable[[GameRecord], None],
    ) -> None:
        self.table = table
        self.opponent = opponent
        self.screen = screen
        self.plan = plan
        self.person = plan.person or Player.P1
        self._next_table = next_table
        self._review = review
        self._proved = False
        self._offered = False

    def play(self) -> None:
        """Play until the person leaves.

        Raises:
            KeyboardInterrupt: with Ctrl-C; the deal has been opened all the same.
        """
        try:
            self._begin(draw=self.plan.person is None)
            while True:
                while not self.table.over:
                    self._turn()
                self._end()
                self._prove()
                self._offer_proof()
                if not self._afterwards():
                    break
                self._rematch()
        except EOFError:
            self._leave()
            with contextlib.suppress(EOFError):
                self._offer_proof()
        except KeyboardInterrupt:
            self._leave()
            raise

    # --- the game -------------------------------------------------------------------------------------------

    def _begin(self, *, draw: bool) -> None:
        """Say what is settled before the first move.

        Args:
            draw: whether the five-piece draw decides who moves first (banqi).
        """
        dealer = self.table.dealer
        if dealer is not None:
            self.screen.say(f"The arbiter has dealt, and commits to the deal: {dealer.commitment}")
            if draw:
                self._draw()
        self.screen.say("Type a move, or help.")
        self._show()

    def _show(self) -> None:
        self.screen.board(self.table, self.person)

    def _rematch(self) -> None:
        """The next game, with the seats changed."""
        self.table = self._next_table()
        self.person = self.person.other
        self._proved = self._offered = False
        self.opponent.new_game()
        self.screen.say(f"The seats are changed: {'you move' if self.person is Player.P1 else 'Fanqi moves'} first.")
        self._begin(draw=False)

    def _leave(self) -> None:
        self.screen.say("")
        self.screen.say("Good-bye.")
        self._prove()

    def _draw(self) -> None:
        """Five pieces lie covered; each picks one, and the stronger moves first."""
        dealer = self.table.dealer
        assert dealer is not None
        while True:
            text = self.screen.ask("Five pieces decide who moves first; pick one, 1 to 5:")
            if self._is_aside(text, HELP_DRAW):
                continue
            places = [place for place in range(1, 6) if str(place) != text]
            other = random.Random(self.plan.seed).choice(places)
            try:
                own, its, first = dealer.draw(int(text) if len(text) == 1 and text.isdecimal() else 0, other)
            except ArbiterError as error:
                self.screen.say(error.reason)
                continue
            self.person = Player.P1 if first else Player.P2
            letters = self.screen.letters
            drawn = f"You draw {banqi_name(own, letters=letters)}, Fanqi draws {banqi_name(its, letters=letters)}"
            self.screen.say(f"{drawn}: {'you move' if first else 'Fanqi moves'} first.")
            return

    def _turn(self) -> None:
        table = self.table
        if table.position.turn is self.person:
            if table.position.legal_moves() == ("pass",):
                self.screen.say("You have no legal move and must pass.", "bold yellow")
                table.play("pass")
            else:
                self._listen()
        elif table.position.legal_moves() == ("pass",):
            table.play("pass")
            self.screen.say("Fanqi has no legal move and passes: it is your turn again.", "bold yellow")
        else:
            before = table.position
            move = table.play(self.opponent.choose(before))
            self._show()
            self.screen.say(f"Fanqi {self.screen.move_words(move, before)}.")

    def _end(self) -> None:
        outcome = self.table.outcome
        if self.table.resigned is not None:
            self.screen.say("You resign. Fanqi wins.")
        elif self.table.agreed:
            self.screen.say("The game is drawn by agreement.", "bold")
        elif outcome is not None:
            self.screen.say(self._result_words(outcome), "bold")

    def _result_words(self, outcome: Outcome) -> str:
        if outcome.winner is None:
            return f"The game is drawn ({outcome.reason.replace('_', ' ')})."
        winner = "You win" if outcome.winner is self.person else "Fanqi wins"
        if self.table.game.name == "othello":
            black, white = (self.table.position.fen().split()[0].count(sign) for sign in "XO")
            return f"{winner} by {abs(outcome.margin):g}: Black {black}, White {white}."
        reason = LOST_BY[outcome.reason]
        lost = f"Fanqi has {reason}" if outcome.winner is self.person else f"you have {reason}"
        return f"{winner}: {lost}. Stake points: {abs(outcome.margin):g}."

    def _prove(self) -> None:
        """The arbiter opens the deal, once, so that the person can check it."""
        dealer = self.table.dealer
        if dealer is not None and not self._proved:
            self._proved = True
            self.screen.say(f"The arbiter opens the deal: {dealer.open().removeprefix('arbiter opened ')}")
            self.screen.say(f"It was committed to as {dealer.commitment}.")

    def _offer_proof(self) -> None:
        """Ask for a file for the proof, until there is one or none is wanted.

        Raises:
            EOFError: the person leaves.
        """
        dealer = self.table.dealer
        if dealer is None or self._offered:
            return
        self._offered = True
        while name := self.screen.ask("File for the proof, to be checked by `fanqi arbiter verify` (Enter for none):"):
            if self._is_aside(name, HELP_PROOF):
                continue
            if name.lower().split()[0] in WORDS_AFTERWARDS:  # not meant as the name of a file
                self.screen.say(f"{name}: first the name of a file for the proof, or Enter for none", "red")
                continue
            proof = dealer.proof(self.table.moves).encode()
            if self._write(name, proof, f"{name} written; check it with: fanqi arbiter verify {name}"):
                return

    def _afterwards(self) -> bool:
        """What the person wants once a game is over; True for another one."""
        while True:
            line = self.screen.ask("rematch, analyse, save FILE or quit:")
            word, _, rest = line.partition(" ")
            match word.lower():
                case "rematch":
                    return True
                case "analyse" | "analyze":
                    self._review(self._record())
                case "save":
                    self._save(rest.strip())
                case "":
                    return False
                case _ if not self._is_aside(line, HELP_AFTERWARDS):
                    self.screen.say(f"{line}: the game is over; type help for what there is now", "red")

    # --- what the person says -------------------------------------------------------------------------------

    def _is_aside(self, text: str, answer: str) -> bool:
        """Whether the person asks for help, which is given, or leaves.

        Raises:
            EOFError: the person leaves.
        """
        match text.lower():
            case "help" | "?":
                self.screen.say(answer)
                return True
            case "quit" | "exit":
                raise EOFError
        return False

    def _listen(self) -> None:
        """One line of the person's, who is to move."""
        line = self.screen.ask("Your move:")
        if self._is_aside(line, HELP):
            return
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "undo":
                self._undo()
            case "hint":
                self._hint()
            case "moves":
                self.screen.say(" ".join(self.table.position.legal_moves()))
            case "level":
                self._level(rest.strip())
            case "save":
                self._save(rest.strip())
            case "draw":
                self._offer_draw()
            case "resign":
                self.table.resigned = self.person
            case _:
                self._move(line)

    def _move(self, text: str) -> None:
        before = self.table.position
        try:
            move = self.table.play(text)
        except MoveError as error:
            self.screen.say(f"{text}: {error.reason}", "red")
            return
        self._show()
        if "=" in move:
            self.screen.say(f"You {self.screen.move_words(move, before).replace('turns', 'turn')}.")

    def _undo(self) -> None:
        if not self.table.moves:
            self.screen.say("There is nothing to take back.")
        elif self.table.dealer is not None:
            self.screen.say(NO_UNDO)
        elif self.table.undo_to(self.person):
            self._show()
        else:
            self.screen.say("There is nothing to take back.")

    def _offer_draw(self) -> None:
        if len(self.table.moves) < DRAW_PLIES:
            self.screen.say("It is too early for a draw: Fanqi plays on.")
        elif self.opponent.accepts_draw(self.table.position):
            self.table.agreed = True
        else:
            self.screen.say("Fanqi sees itself ahead and declines. It is still your move.")

    def _hint(self) -> None:
        form = "  {:+.2f} discs" if self.table.game.name == "othello" else "  {:.1f} %"
        for number, hint in enumerate(self.opponent.hints(self.table.position), 1):
            score = "" if hint.score is None else form.format(hint.score)
            then = f"  ({' '.join(hint.line[1:HINT_MOVES])})" if len(hint.line) > 1 else ""
            self.screen.say(f"{number}. {hint.line[0]}{score}{then}")

    def _level(self, text: str) -> None:
        if not text:
            self.screen.say(f"Fanqi plays at level {self.opponent.strength}.")
            return
        try:
            self.opponent.strength = text
        except StrengthError as error:
            self.screen.say(f"level {error}", "red")
        else:
            self.screen.say(f"Fanqi plays at level {self.opponent.strength}.")

    def _record(self) -> GameRecord:
        own, other = self.plan.name, f"Fanqi level {self.opponent.strength}"
        return self.table.record((own, other) if self.person is Player.P1 else (other, own), self.plan.date)

    def _save(self, name: str) -> None:
        kind = format_for_suffix(name)
        if kind is None:
            self.screen.say("save FILE, where FILE ends in .ggf .sgf .pgn .txt .tcga or .jsonl")
            return
        today = tuple(int(part) for part in self.plan.date.split("-"))
        writer = kind.writer((today[0], today[1], today[2]))
        try:
            data = writer.add(self._record()) + writer.finish()
        except RecordError as error:
            self.screen.say(f"{name}: {error}", "red")
        else:
            self._write(name, data, f"{name} written.")

    def _write(self, name: str, data: bytes, done: str) -> bool:
        """Write a file, one that is there already only when the person says so; False where it was not written."""
        path = Path(name)
        try:
            if path.exists() and self.screen.ask(f"{name} exists; overwrite it? (yes or no)").lower() not in YES:
                self.screen.say(f"{name} is left as it was.")
                return False
            write_whole(path, data)
        except OSError as error:
            self.screen.say(described(error, name), "red")
            return False
        except ValueError as error:  # no path at all, such as one with a null character
            self.screen.say(f"{name}: {error}", "red")
            return False
        self.screen.say(done)
        return True
