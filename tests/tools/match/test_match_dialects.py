"""Engines that speak other languages play whole games; what they say is read as tolerantly as they say it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fanqi.match.dialects.flipello import CHECK_LINE
from fanqi.match.errors import ConfigurationError
from fanqi.match.limit import Limit, TimeControl
from fanqi.match.openings import Opening
from fanqi.match.specification import parse_engine

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINES = Path(__file__).parent / "engines"
LONG = Limit(TimeControl(600_000, 1000), timemargin_ms=0)


def wild(dialect: str, arguments: str = "") -> str:
    return f"{dialect}:{sys.executable} -S {ENGINES / dialect}.py {arguments}".strip()


def log_of(played: Any) -> list[str]:
    """What was said to and by the engine, without the times."""
    lines = (played.directory / "logs" / "x-1.io.txt").read_text().splitlines()
    return [line.partition(" ")[2] for line in lines]


@pytest.mark.parametrize("dialect", ["nboard", "gtp", "flipello", "xboard", "cassio"])
def test_an_othello_engine_of_another_language_plays_whole_games(dialect: str, play_match: Callable[..., Any]) -> None:
    before_a_pass = Opening("startpos", tuple(CHECK_LINE[:-1]), "before a pass")
    played = play_match(
        f"x={wild(dialect)}", "r=builtin:random", games=4, limit=LONG, openings="a file", listed=[before_a_pass]
    )
    assert [game.termination for game in played.games] == ["discs"] * 4
    assert played.games[0].moves[30] == "pass"
    assert played.games[0].players[0] == "x"
    assert played.runner.standings.engines["x"].starts == 1


@pytest.mark.parametrize("dialect", ["fanqi", "nboard", "gtp", "tcga", "flipello", "xboard", "cassio", "ugi"])
def test_blanks_around_what_an_engine_says_make_no_difference(dialect: str, play_match: Callable[..., Any]) -> None:
    script = ENGINES / f"{'instant' if dialect in ('fanqi', 'ugi') else dialect}.py"
    engine = f"x={dialect}:{sys.executable} -S {ENGINES / 'indented.py'} {script}"
    rules = {"game": "banqi", "rules": "chase=off"} if dialect == "tcga" else {}
    played = play_match(engine, "r=builtin:random", games=2, limit=LONG, **rules)
    ends = ("no_progress", "extinct", "no_moves") if dialect == "tcga" else ("discs",)
    assert all(game.termination in ends for game in played.games)
    if dialect in ("fanqi", "ugi"):
        assert played.games[0].depths[0] == 1


def test_a_banqi_engine_of_the_taiwanese_client_plays_whole_games(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('tcga')}", "r=builtin:random", games=4, game="banqi", limit=LONG, rules="chase=off")
    assert all(game.termination in ("no_progress", "extinct", "no_moves") for game in played.games)


def test_an_nboard_engine_is_told_the_game_and_asked_together(play_match: Callable[..., Any]) -> None:
    limit = Limit(depth=7)
    played = play_match(f"x={wild('nboard')}", "r=builtin:random", games=1, limit=limit, log_io=True)
    (game,) = played.games
    said = log_of(played)
    assert said[:2] == ["> nboard 2", "> ping 1"]
    assert "> set depth 7" in said
    first_go = said.index("> go")
    assert said[first_go - 2].startswith("> ping")
    assert said[first_go - 1].startswith("< pong")
    assert f"B[{game.moves[0]}]" in [line for line in said if line.startswith("> set game")][2]
    assert game.labels[0] == "Wild7"
    assert game.evals[0] == 2.5
    assert game.depths[0] == 14


def test_a_gtp_engine_is_told_every_move_once(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('gtp')} option.set_level=3", "r=builtin:random", games=1, limit=LONG, log_io=True)
    (game,) = played.games
    said = log_of(played)
    assert "> set_level 3" in said
    assert game.labels[0] == "Wild GTP 0.1"
    told = [line.split()[3].lower() for line in said if line.startswith("> play white")]
    assert told == [game.moves[ply] for ply in game.plies_of(1)][: len(told)]
    assert len(told) >= len(game.moves) // 2 - 1


def test_a_taiwanese_engine_is_told_its_own_moves_as_well_and_all_clocks(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('tcga')}", "r=builtin:random", games=1, game="banqi", limit=LONG, log_io=True)
    (game,) = played.games
    said = log_of(played)
    assert said[:9:2] == ["> 1 name", "> 2 version", "> 7 reset_board", "> 15 time_settings 600000", "> 14 ready"]
    assert "> 12 genmove unknown" in said
    executed = [line for line in said if line.startswith(("> 10 ", "> 11 "))]
    assert executed[0] == f"> 11 flip {game.moves[0].replace('=', ' ')}"
    assert len(executed) in (len(game.moves) - 1, len(game.moves) - 2)
    assert sum(line.startswith("> 16 time_left") for line in said) == len(executed)


def test_a_fish_is_asked_whether_it_understands_a_pass(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('flipello', '--deaf')}", "r=builtin:random", games=1)
    assert played.games[0].termination == "start_failure"
    assert "does not understand a game of flipello" in played.games[0].detail


def test_a_fish_counts_ranks_from_the_bottom(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('flipello')}", "r=builtin:random", games=1, limit=LONG, log_io=True)
    (game,) = played.games
    said = log_of(played)
    answers = [line.split()[2] for line in said if line.startswith("< bestmove")]
    assert answers[0] == f"P@{game.moves[0][0]}{9 - int(game.moves[0][1])}"
    assert any(line.startswith("> go wtime 6") for line in said)
    assert game.evals[0] == 999.97


def test_an_xboard_engine_is_told_moves_in_force_mode_and_asked_by_go(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('xboard')} option.Level=5", "r=builtin:random", games=1, limit=LONG, log_io=True)
    (game,) = played.games
    said = log_of(played)
    assert "> option Level=5" in said
    assert "> variant reversi" in said
    assert "> level 0 10 1" in said
    assert game.labels[0] == "Wild board"
    told = [line.split("@")[1] for line in said if line.startswith("> usermove P@")]
    assert told == [game.moves[ply] for ply in game.plies_of(1) if game.moves[ply] != "pass"][: len(told)]
    assert said[said.index("> go") - 1].startswith("> otim")
    assert (game.evals[0], game.depths[0]) == (2.5, 3)


def test_an_xboard_engine_is_told_of_switches_by_numbers_and_of_buttons_by_their_name(
    play_match: Callable[..., Any],
) -> None:
    options = "option.Deep=true option.Forget=now"
    played = play_match(f"x={wild('xboard')} {options}", "r=builtin:random", games=1, limit=LONG, log_io=True)
    said = log_of(played)
    assert {"> option Deep=1", "> option Forget"} <= set(said)
    assert played.games[0].termination == "discs"


def test_an_xboard_engine_that_takes_no_such_option_does_not_start(play_match: Callable[..., Any]) -> None:
    played = play_match(f"x={wild('xboard')} option.Level=9", "r=builtin:random", games=1)
    assert "unknown option" in played.games[0].detail


def test_a_cassio_engine_is_stopped_when_its_time_is_over(play_match: Callable[..., Any]) -> None:
    limit = Limit(movetime_ms=60, timemargin_ms=5000)
    played = play_match(
        f"x={wild('cassio')} option.precision=73", "r=builtin:random", games=1, limit=limit, log_io=True
    )
    (game,) = played.games
    said = log_of(played)
    assert game.labels[0] == "Wild Cassio 1"
    assert any(line.endswith(" -64.00 64.00 60 73") or "endgame-search" in line for line in said)
    assert game.evals[0] == 2.0


def test_a_ugi_engine_is_greeted_in_its_own_words(play_match: Callable[..., Any]) -> None:
    script = f"{sys.executable} -S {ENGINES / 'instant.py'}"
    played = play_match(f"x=ugi:{script}", "r=builtin:random", games=1, log_io=True)
    said = log_of(played)
    assert said[0] == "> ugi"
    assert "> uginewgame" in said
    assert played.games[0].termination == "discs"


@pytest.mark.parametrize(("dialect", "game"), [("tcga", "othello"), ("gtp", "banqi"), ("flipello", "banqi")])
def test_a_language_is_refused_for_a_game_it_has_no_words_for(
    dialect: str, game: str, play_match: Callable[..., Any]
) -> None:
    with pytest.raises(ConfigurationError, match=f"{game} is not played in {dialect}"):
        play_match(f"x={wild(dialect)}", "r=builtin:random", game=game)


@pytest.mark.parametrize(
    ("dialect", "game", "rules"),
    [("gtp", "othello", "rules=1890"), ("flipello", "othello", "rules=1886"), ("nboard", "othello", "rules=1890")],
)
def test_a_language_is_refused_for_rules_it_has_no_words_for(
    dialect: str, game: str, rules: str, play_match: Callable[..., Any]
) -> None:
    with pytest.raises(ConfigurationError, match=f"{dialect} cannot say that the rules are {rules}"):
        play_match(f"x={wild(dialect)}", "r=builtin:random", game=game, rules=rules)


@pytest.mark.parametrize(
    ("dialect", "limit"),
    [("gtp", Limit(depth=3)), ("nboard", Limit(nodes=3)), ("xboard", Limit(nodes=3)), ("cassio", Limit(nodes=3))],
)
def test_a_limit_that_a_language_cannot_say_is_refused(
    dialect: str, limit: Limit, play_match: Callable[..., Any]
) -> None:
    with pytest.raises(ConfigurationError, match="has no word for a limit"):
        play_match(f"x={wild(dialect)}", "r=builtin:random", limit=limit)


def test_the_language_is_named_in_front_of_the_command() -> None:
    spec = parse_engine("a=nboard:./edax -nboard option.depth=5", LONG)
    assert (spec.dialect, spec.command, spec.options) == ("nboard", "./edax -nboard", {"depth": "5"})
    assert parse_engine("a=gtp:tcp://localhost:1", LONG).address == ("localhost", 1)
    assert parse_engine("a=./gtp:odd", LONG).dialect == "fanqi"


CHASED = "..../.n../..../.R../..../..../..../k..K - r 11 r:b5>b7=5"
"""The rook has chased the knight five times; the engine's first idea is to do it again."""


def chase_once_more(
    play_match: Callable[..., Any], banned_reply: str, second: str = "b5b6", start: str = CHASED
) -> Any:
    """The first of the game after an answer that only the chase ban forbids."""
    script = f"{sys.executable} -S {ENGINES / 'chaser.py'} --second {second}"
    listed = [Opening(start, (), start)]
    played = play_match(
        f"x={script}", "r=builtin:random", games=1, game="banqi",
        banned_reply=banned_reply, openings="a file", listed=listed,
    )  # fmt: skip
    return played.games[0]


def test_an_answer_that_only_the_chase_ban_forbids_loses_the_game(play_match: Callable[..., Any]) -> None:
    game = chase_once_more(play_match, "forfeit")
    assert game.termination == "illegal_move"
    assert "one chase too many" in game.detail


def test_a_banned_answer_can_be_replaced_by_another_move(play_match: Callable[..., Any]) -> None:
    game = chase_once_more(play_match, "replace")
    assert "ply 1: x answered the banned b5b6" in game.notes
    assert game.moves[0] in ("b5a5", "b5b4", "b5c5", "d1c1", "d1d2")


def test_an_engine_can_be_asked_again_after_a_banned_answer(play_match: Callable[..., Any]) -> None:
    assert chase_once_more(play_match, "ask-again", "b5c5").moves[0] == "b5c5"
    insists = chase_once_more(play_match, "ask-again", "b5b6")
    assert insists.moves[0] in ("b5a5", "b5b4", "b5c5", "d1c1", "d1d2")


def test_an_engine_that_is_asked_again_cannot_say_what_a_flip_shows(play_match: Callable[..., Any]) -> None:
    covered = "X.../.n../..../.R../..../..../..../k..K p r 11 r:b5>b7=5"
    game = chase_once_more(play_match, "ask-again", "a8=p", covered)
    assert game.termination == "illegal_move"
    assert "a flip is answered by its square alone" in game.detail
