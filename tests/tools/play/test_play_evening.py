"""A person plays: what is said, what is shown, and what becomes of the game."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fanqi.arbiter import transcript_record, verify
from fanqi.game import Player, load_game
from fanqi.play import Dealer, Evening, Hint, Opponent, Plan, Screen, Table, with_strength
from fanqi.play.strength import strength_words
from fanqi.records import parse_position, parse_records
from fanqi.search import Settings

WIPE_OUT = "e6f4e3f6g5d6e7f5c5"


class ScriptedOpponent:
    """Plays a list of moves, then the first legal one."""

    def __init__(self, moves=(), *, draws=False):
        self.moves = list(moves)
        self.draws = draws
        self.games = 1
        self.settings = Settings()

    @property
    def strength(self):
        return strength_words(self.settings)

    @strength.setter
    def strength(self, text):
        self.settings = with_strength(self.settings, text, "othello")

    def choose(self, position):
        return self.moves.pop(0) if self.moves else position.legal_moves()[0]

    def accepts_draw(self, position):
        return self.draws

    def new_game(self):
        self.games += 1

    def hints(self, position):
        return [Hint((move,), 1.5) for move in position.legal_moves()[:2]]


def evening(game, lines, *, start=None, person=Player.P1, dealer=None, opponent=None, letters=True, again=None):
    """Play through a list of the person's lines; returns the evening and everything that was shown.

    Args:
        again: makes the dealer of a rematch.
    """
    shown = io.StringIO()
    waiting = iter(lines)

    def ask(prompt):
        shown.write(prompt)
        try:
            line = next(waiting)
        except StopIteration:
            raise EOFError from None
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        return line

    played = load_game(game)
    table = Table(played, start or played.start(), dealer=dealer)
    screen = Screen(Console(file=shown, width=100, highlight=False), ask, letters=letters)

    def next_table():
        return Table(played, start or played.start(), dealer=again and again())

    def review(record):
        shown.write(f"reviewed: {' '.join(move.move for move in record.moves)}\n")

    plan = Plan(person, date="2026-11-30")
    held = Evening(table, opponent or ScriptedOpponent(), screen, plan, next_table, review)
    try:
        held.play()
    except KeyboardInterrupt:
        shown.write("interrupted\n")
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


@pytest.mark.parametrize(
    "key",
    ["\x1b[15~", "\x1b[[A", "\x1bOP", "\x1b[A", "\x1b[1;5D", "\x9b3~", "\x1b", "\x1b[", "\x1bO", "\x1bx", "\x00\x07"],
)
def test_a_function_key_does_nothing(key):
    _, shown = evening("othello", [key])
    assert "not a move" not in shown
    held, _ = evening("othello", [f"{key}f5" if len(key) > 3 else f"f5{key}"])
    assert held.table.moves[:1] == ("f5",)


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


def test_a_game_is_kept_after_it_was_resigned_and_can_be_saved_and_analysed(tmp_path):
    path = tmp_path / "game.sgf"
    _, shown = evening("othello", ["f5", "resign", "help", "f6", f"save {path}", "analyse", "quit"])
    (record,) = parse_records(path.read_bytes())
    assert [move.move for move in record.moves] == ["f5", "d6"]
    assert record.result.winner is Player.P2
    assert "reviewed: f5 d6" in shown
    assert "another game with the seats changed" in shown
    assert "f6: the game is over" in shown


def test_a_rematch_changes_the_seats_and_forgets_the_last_game():
    opponent = ScriptedOpponent()
    held, shown = evening("othello", ["f5", "resign", "rematch", "resign", "rematch", "f5"], opponent=opponent)
    assert "The seats are changed: Fanqi moves first." in shown
    assert "The seats are changed: you move first." in shown
    assert shown.count("You are White.") == 2
    assert held.table.moves == ("f5", "d6")
    assert opponent.games == 3


def test_a_rematch_of_banqi_is_dealt_anew_without_another_draw():
    first, second = Dealer(seed=5), Dealer(seed=6)
    lines = ["3", "a1", "resign", "", "rematch", "resign", ""]
    _, shown = evening("banqi", lines, person=None, dealer=first, again=lambda: second)
    assert shown.count("pick one") == 1
    assert shown.count("commits to the deal") == shown.count("The arbiter opens the deal") == 2
    assert f"commits to the deal: {second.commitment}" in shown


def test_an_offered_draw_is_taken_only_when_fanqi_is_not_ahead():
    position, lines = load_game("othello").start(), []
    for ply in range(20):
        move = position.legal_moves()[0]
        position = position.play(move)
        lines += [move] * (ply % 2 == 0)
    held, shown = evening("othello", [lines[0], "draw"], opponent=ScriptedOpponent(draws=True))
    assert "too early" in shown
    held, shown = evening("othello", [*lines, "draw", "undo"])
    assert "declines" in shown
    assert not held.table.over
    held, shown = evening("othello", [*lines, "draw"], opponent=ScriptedOpponent(draws=True))
    assert "The game is drawn by agreement." in shown
    result = held.table.record(("a", "b"), "").result
    assert (result.winner, result.margin, result.reason) == (None, 0.0, "agreed")


def test_the_engine_takes_a_draw_when_it_is_behind_and_not_when_it_is_ahead():
    ahead = parse_position("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X")[1]
    behind = parse_position("OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOXO- X")[1]
    opponent = Opponent(load_game("othello"), Settings(), movetime_ms=50)
    assert opponent.accepts_draw(ahead)
    assert not opponent.accepts_draw(behind)


def test_leaving_with_ctrl_c_opens_the_deal_asks_for_nothing_and_is_an_interruption():
    _, shown = evening("banqi", ["a1", "hint", KeyboardInterrupt], dealer=Dealer(seed=5))
    assert "The arbiter opens the deal" in shown
    assert "File for the proof" not in shown
    assert shown.endswith("interrupted\n")


def test_saving_asks_before_it_overwrites_a_file(tmp_path):
    path = tmp_path / "game.ggf"
    path.write_text("precious")
    _, shown = evening("othello", ["f5", f"save {path}", "no", f"save {path}"])
    assert "overwrite it?" in shown
    assert "is left as it was" in shown
    assert path.read_text() == "precious"
    evening("othello", ["f5", f"save {path}", "yes"])
    assert path.read_text().startswith("(;GM[Othello]")


def test_a_proof_asks_before_it_overwrites_a_file_and_asks_again_for_another(tmp_path):
    kept, other = tmp_path / "kept.txt", tmp_path / "other.txt"
    kept.write_text("precious")
    evening("banqi", ["a1", "quit", str(kept), "no", str(other)], dealer=Dealer(seed=5))
    assert kept.read_text() == "precious"
    assert "arbiter commit" in other.read_text()


def test_words_of_the_menu_after_a_game_are_no_names_of_a_proof(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["analyse", "Rematch", "save game.tcga", "help"]
    _, shown = evening("banqi", ["a1", "resign", *words, "proof.txt", ""], dealer=Dealer(seed=5))
    assert shown.count("first the name of a file for the proof") == 3
    assert "write the proof of the deal there" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["proof.txt"]


def test_quit_leaves_where_a_proof_is_offered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, shown = evening("banqi", ["a1", "resign", "quit"], dealer=Dealer(seed=5))
    assert "Good-bye." in shown
    assert "rematch, analyse" not in shown
    _, shown = evening("banqi", ["a1", "quit", "quit"], dealer=Dealer(seed=5))
    assert shown.count("Good-bye.") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_five_piece_draw_knows_help_and_quit():
    held, shown = evening("banqi", ["help", "quit"], person=None, dealer=Dealer(seed=5))
    assert "take that piece" in shown
    assert "Good-bye." in shown
    assert held.table.moves == ()
    assert "expected a place" not in shown


def test_banqi_shows_the_last_move_what_it_captured_and_the_colours():
    start = parse_position("..../..../..../..../..../..../k..p/Kr.P - r 7 -")[1]
    _, shown = evening("banqi", ["a1b1", "quit"], start=start, opponent=ScriptedOpponent(["d2d1"]))
    assert "You are red." in shown
    assert "Last move: you, a1-b1 captures r" in shown
    assert "Last move: Fanqi, d2-d1 captures P" in shown
    assert "Fanqi plays d2-d1 and captures P." in shown
    assert "captured from black" in shown
    _, shown = evening("banqi", ["quit"], dealer=Dealer(seed=5))
    assert "the first piece that is turned up decides the colours" in shown


def test_banqi_is_dealt_fairly_and_proved(tmp_path):
    path = tmp_path / "proof.txt"
    dealer = Dealer(seed=5)
    _, shown = evening("banqi", ["6", "3", "a1", "resign", str(path)], person=None, dealer=dealer)
    assert f"commits to the deal: {dealer.commitment}" in shown
    assert "expected a place from 1 to 5" in shown
    assert "You draw" in shown
    minutes = path.read_text(encoding="utf-8")
    assert verify(transcript_record(minutes.splitlines())).good


def test_banqi_refuses_to_take_back_and_says_why():
    held, shown = evening("banqi", ["undo", "a1", "undo", "quit"], dealer=Dealer(seed=5))
    assert "There is nothing to take back." in shown
    assert "Banqi knows no take-back" in shown
    assert "a piece once turned up has been seen" in shown
    assert len(held.table.moves) == 2


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
