"""A person plays: what is said, what is shown, and what becomes of the game."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fanqi.arbiter import transcript_record, verify
from fanqi.game import Player, load_game
from fanqi.play import Dealer, Evening, Hint, Plan, Screen, Table, with_strength
from fanqi.play.strength import strength_words
from fanqi.records import parse_position, parse_records
from fanqi.search import Settings

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"


class ScriptedOpponent:
    """Plays a list of moves, then the first legal one."""

    def __init__(self, moves=()):
        self.moves = list(moves)
        self.settings = Settings()

    @property
    def strength(self):
        return strength_words(self.settings)

    @strength.setter
    def strength(self, text):
        self.settings = with_strength(self.settings, text, "othello")

    def choose(self, position):
        return self.moves.pop(0) if self.moves else position.legal_moves()[0]

    def hints(self, position):
        return [Hint((move,), 1.5) for move in position.legal_moves()[:2]]


def evening(game, lines, *, start=None, person=Player.P1, dealer=None, opponent=None, letters=True):
    """Play through a list of the person's lines; returns the evening and everything that was shown."""
    shown = io.StringIO()
    waiting = iter(lines)

    def ask(prompt):
        shown.write(prompt)
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    played = load_game(game)
    table = Table(played, start or played.start(), dealer=dealer)
    screen = Screen(Console(file=shown, width=100, highlight=False), ask, letters=letters)
    held = Evening(table, opponent or ScriptedOpponent(), screen, Plan(person, date="2026-11-30"))
    held.play()
    return held, shown.getvalue()


def pairs(text):
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def test_a_whole_game_of_othello_ends_with_its_score():
    moves = pairs(WIPE_OUT)
    held, shown = evening("othello", moves[::2], opponent=ScriptedOpponent(moves[1::2]))
    assert "You win by 64: Black 13, White 0." in shown
    assert "Fanqi plays f4." in shown
    assert held.table.moves == tuple(moves)


def test_the_person_is_told_of_a_forced_pass_and_it_is_played():
    start = parse_position("XO------" + "-" * 48 + "XO------ X")[1]
    held, shown = evening("othello", ["c1"], start=start, person=Player.P1)
    assert "Fanqi has no legal move and passes: it is your turn again." in shown
    held, shown = evening("othello", [], start=start, person=Player.P2, opponent=ScriptedOpponent(["c1"]))
    assert "You have no legal move and must pass." in shown
    assert held.table.moves == ("c1", "pass", "c8")
    assert "Fanqi wins by 64: Black 6, White 0." in shown


def test_an_illegal_move_is_explained_and_asked_for_again():
    held, shown = evening("othello", ["a1", "zz", "pass", "f5"])
    assert "a1: a1 turns no disc; legal: c4 d3 e6 f5" in shown
    assert "zz: not a move" in shown
    assert "pass: a pass is legal only when no square is" in shown
    assert held.table.moves[0] == "f5"


def test_undo_takes_back_the_answer_as_well():
    held, _ = evening("othello", ["f5", "undo", "d3", "undo", "undo"])
    assert held.table.moves == ()
    held, shown = evening("othello", ["undo"])
    assert "There is nothing to take back." in shown


def test_hint_moves_level_and_help_answer():
    lines = ["hint", "moves", "level", "level 99", "level 3", "level", "level beginner", "level", "help", ""]
    held, shown = evening("othello", lines)
    assert "1. c4  +1.50 discs" in shown
    assert "c4 d3 e6 f5" in shown
    assert "Fanqi plays at level 20" in shown
    assert "Fanqi plays at level 3" in shown
    assert "'99': expected 0 to 20 (full strength), beginner, intermediate, advanced, or elo" in shown
    assert held.opponent.strength == "beginner"
    assert "Fanqi plays at level beginner" in shown
    assert "save FILE" in shown


def test_control_characters_of_a_stray_key_are_not_sent_back():
    _, shown = evening("othello", ["\x1b[15~"])
    assert "\x1b" not in shown
    assert "[15~: not a move" in shown


@pytest.mark.parametrize("suffix", [".ggf", ".sgf", ".pgn", ".txt", ".jsonl"])
def test_a_game_can_be_saved_and_read_again(tmp_path, suffix):
    path = tmp_path / f"game{suffix}"
    _, shown = evening("othello", ["f5", f"save {path}"])
    (record,) = parse_records(path.read_bytes())
    assert [move.move for move in record.moves] == ["f5", "d6"]
    assert f"{path} written." in shown


def test_saving_without_a_known_ending_or_where_it_cannot_be_says_so(tmp_path):
    _, shown = evening("othello", ["save game", f"save {tmp_path}/nowhere/game.ggf", f"save {tmp_path}/x.tcga"])
    assert "save FILE, where FILE ends in" in shown
    assert "there is no folder" in shown
    assert "Errno" not in shown
    assert "holds banqi games only" in shown


def test_resigning_ends_the_game():
    held, shown = evening("othello", ["f5", "resign"])
    assert "You resign. Fanqi wins." in shown
    assert held.table.record(("a", "b"), "").result.reason == "resigned"


def test_banqi_is_dealt_fairly_and_proved(tmp_path):
    path = tmp_path / "proof.txt"
    dealer = Dealer(seed=5)
    _, shown = evening("banqi", ["6", "3", "a1", "resign", str(path)], person=None, dealer=dealer)
    assert f"commits to the deal: {dealer.commitment}" in shown
    assert "expected a place from 1 to 5" in shown
    assert "You draw" in shown
    minutes = path.read_text(encoding="utf-8")
    assert verify(transcript_record(minutes.splitlines())).good


def test_banqi_flips_show_what_is_turned_up_and_a_taken_back_flip_shows_the_same():
    dealer = Dealer(seed=5)
    _, shown = evening("banqi", ["a1", "undo", "a1", "quit"], dealer=dealer)
    first, second = (line for line in shown.splitlines() if "You turn up" in line)
    assert first == second
    assert dealer.minutes.count(f"arbiter reveal a1={dealer.flip('a1')}") == 1


def test_banqi_from_a_position_deals_only_what_is_covered(tmp_path):
    text = "X.../.n../..../.R../..../..../.k../P..K g b 11 r:b5>b7=5"
    path = tmp_path / "proof.jsonl"
    start = parse_position(text)[1]
    _, shown = evening("banqi", ["a8", "quit", str(path)], start=start, dealer=Dealer(7, text))
    assert "You turn up g on a8." in shown
    assert '"commitment"' in path.read_text(encoding="utf-8")


def test_banqi_tells_why_a_game_is_lost():
    start = parse_position("..../..../..../..../..../..../..../Kr.. - r 7 -")[1]
    _, shown = evening("banqi", ["a1b1"], start=start)
    assert "You win: Fanqi has no men left. Stake points: 1." in shown
    _, shown = evening("banqi", [], start=start, person=Player.P2, opponent=ScriptedOpponent(["a1b1"]))
    assert "Fanqi wins: you have no men left. Stake points: 1." in shown


def test_banqi_boards_show_characters_unless_letters_are_asked_for():
    _, shown = evening("banqi", ["quit"], dealer=Dealer(1), letters=False)
    assert "帥1" in shown
    _, shown = evening("banqi", ["quit"], dealer=Dealer(1))
    assert "K1" in shown
    assert shown.isascii()
