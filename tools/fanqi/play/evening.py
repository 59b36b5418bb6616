"""The conversation of a game: whose turn it is, what the person says, what becomes of it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fanqi.arbiter import ArbiterError
from fanqi.drawing import banqi_name
from fanqi.files import described
from fanqi.game import MoveError, Player
from fanqi.play.strength import StrengthError
from fanqi.records import RecordError, format_for_suffix

if TYPE_CHECKING:
    from fanqi.game import Outcome
    from fanqi.play.opponent import Opponent
    from fanqi.play.screen import Screen
    from fanqi.play.table import Table

__all__ = ["Evening", "Plan"]

HELP = """\
  a move        f5, pass; banqi: b8 turns a piece up, b8a8 or b8-a8 moves or captures
  undo          take your last move back, and the answer to it
  hint          the best moves, as the engine sees them at full strength
  moves         what you may play
  level L       0 to 20 (full strength), beginner, intermediate, advanced, or elo N
  save FILE     write a record: .ggf .sgf .pgn .txt .tcga .jsonl
  resign, quit"""

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
    """One game from the first word to the last."""

    def __init__(self, table: Table, opponent: Opponent, screen: Screen, plan: Plan) -> None:
        self.table = table
        self.opponent = opponent
        self.screen = screen
        self.plan = plan
        self.person = plan.person or Player.P1
        self._over = False

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        try:
            self._begin()
            while not self._over:
                self._turn()
        except (EOFError, KeyboardInterrupt):
            self.screen.say("")
            self.screen.say("Good-bye.")
        self._prove()

    # --- the game -------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        dealer = self.table.dealer
        if dealer is not None:
            self.screen.say(f"The arbiter has dealt, and commits to the deal: {dealer.commitment}")
            if self.plan.person is None:
                self._draw()
        self.screen.say("Type a move, or help.")
        self.screen.board(self.table)

    def _draw(self) -> None:
        """Five pieces lie covered; each picks one, and the stronger moves first."""
        dealer = self.table.dealer
        assert dealer is not None
        while True:
            text = self.screen.ask("Five pieces decide who moves first; pick one, 1 to 5:")
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
        if table.over:
            self._end()
        elif table.position.turn is self.person:
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
            self.screen.board(table)
            self.screen.say(f"Fanqi {self.screen.move_words(move, before)}.")

    def _end(self) -> None:
        self._over = True
        outcome = self.table.outcome
        if self.table.resigned is not None:
            self.screen.say("You resign. Fanqi wins.")
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
        """The arbiter opens the deal, so that the person can check it."""
        dealer = self.table.dealer
        if dealer is not None:
            self.screen.say(f"The arbiter opens the deal: {dealer.open().removeprefix('arbiter opened ')}")
            self.screen.say(f"It was committed to as {dealer.commitment}.")
            self._offer_proof()

    def _offer_proof(self) -> None:
        try:
            path = self.screen.ask("File for the proof, to be checked by `fanqi arbiter verify` (Enter for none):")
        except (EOFError, KeyboardInterrupt):
            return
        if path:
            self._write_proof(path)

    # --- what the person says -------------------------------------------------------------------------------

    def _listen(self) -> None:
        """One line of the person's, who is to move."""
        line = self.screen.ask("Your move:")
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                pass
            case "help" | "?":
                self.screen.say(HELP)
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
            case "resign":
                self.table.resigned = self.person
            case "quit" | "exit":
                raise EOFError
            case _:
                self._move(line)

    def _move(self, text: str) -> None:
        before = self.table.position
        try:
            move = self.table.play(text)
        except MoveError as error:
            self.screen.say(f"{text}: {error.reason}", "red")
            return
        self.screen.board(self.table)
        if "=" in move:
            self.screen.say(f"{self.screen.move_words(move, before).capitalize()}.".replace("Turns", "You turn"))

    def _undo(self) -> None:
        if self.table.undo_to(self.person):
            self.screen.board(self.table)
        else:
            self.screen.say("There is nothing to take back.")

    def _hint(self) -> None:
        unit = "discs" if self.table.game.name == "othello" else "pawns"
        for number, hint in enumerate(self.opponent.hints(self.table.position), 1):
            score = "" if hint.score is None else f"  {hint.score:+.2f} {unit}"
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

    def _save(self, name: str) -> None:
        kind = format_for_suffix(name)
        if kind is None:
            self.screen.say("save FILE, where FILE ends in .ggf .sgf .pgn .txt .tcga or .jsonl")
            return
        own, other = self.plan.name, f"Fanqi level {self.opponent.strength}"
        players = (own, other) if self.person is Player.P1 else (other, own)
        today = tuple(int(part) for part in self.plan.date.split("-"))
        writer = kind.writer((today[0], today[1], today[2]))
        try:
            data = writer.add(self.table.record(players, self.plan.date)) + writer.finish()
            Path(name).write_bytes(data)
        except RecordError as error:
            self.screen.say(f"{name}: {error}", "red")
        except OSError as error:
            self.screen.say(described(error, name), "red")
        else:
            self.screen.say(f"{name} written.")

    def _write_proof(self, name: str) -> None:
        dealer = self.table.dealer
        assert dealer is not None
        try:
            Path(name).write_text(dealer.proof(self.table.moves), encoding="utf-8")
        except OSError as error:
            self.screen.say(described(error, name), "red")
        else:
            self.screen.say(f"{name} written; check it with: fanqi arbiter verify {name}")
