"""The session with the real games, and docs/protocol.md held to what really happens."""

from __future__ import annotations

import queue
import re
from pathlib import Path

import pytest

from fanqi.game import FEATURES, GAME_NAMES, load_game
from fanqi.uci import HashBudget, Library, SearchPool, Services, Session, SessionConfig, option_table

PROTOCOL = Path(__file__).parents[3] / "docs" / "protocol.md"
PATIENCE = 240  # an empty kernel cache has to be filled first


class Host:
    """Talks to a session and waits for its answers."""

    library = Library()
    pool = SearchPool()

    def __init__(self, **config):
        self.lines = queue.Queue()
        self.faults = []
        services = Services(self.library, self.pool, HashBudget(), self.faults.append)
        self.session = Session(self, services, SessionConfig(**config))

    def answer(self, line):
        self.lines.put(line)

    thought = answer

    def ended(self):
        self.lines.put(None)

    def say(self, *lines):
        for line in lines:
            self.session.receive(line)

    def until(self, word):
        said = [self.lines.get(timeout=PATIENCE)]
        while said[-1] is not None and not said[-1].startswith(word):
            said.append(self.lines.get(timeout=PATIENCE))
        return said

    def ask(self, *lines):
        """Send lines and return what they were answered, loading aside."""
        self.say(*lines, "isready")
        return [line for line in self.until("readyok")[:-1] if "kernels" not in line]


@pytest.fixture
def host():
    host = Host()
    yield host
    host.session.abandon()
    assert host.faults == []


# --- both games ---------------------------------------------------------------------------------------------------


def test_a_whole_othello_game_is_played_by_best_moves(host):
    moves = []
    while True:
        host.say(f"position startpos moves {' '.join(moves)}", "go depth 1")
        if (best := host.until("bestmove")[-1]) == "bestmove (none)":
            break
        moves.append(best.split()[1])
    assert host.ask("query gameover", "query reason") == ["response true", "response discs"]
    assert len([move for move in moves if move != "pass"]) <= 60


def test_a_banqi_game_is_played_with_the_sessions_own_arbiter(host):
    host.ask("setoption name UCI_Variant value banqi", "arbiter new seed 5")
    moves = []
    for _ in range(60):
        host.say(f"position startpos moves {' '.join(moves)}", "go nodes 200")
        move = host.until("bestmove")[-1].split()[1]
        if move == "(none)":
            break
        if len(move) == 2:
            (answer,) = host.ask(f"arbiter flip {move}")
            move = answer.removeprefix("arbiter reveal ")
        moves.append(move)
    assert len(moves) > 30
    (opened,) = host.ask("arbiter finish", "arbiter open")[1:]
    layout = opened.split()[5]
    for move in moves:
        if "=" in move:
            assert layout["abcd".index(move[0]) + 4 * (int(move[1]) - 1)] == move[3]


def test_every_limit_is_understood_by_the_engines(host):
    for variant in GAME_NAMES:
        host.ask(f"setoption name UCI_Variant value {variant}", "position startpos")
        clocks = "p1time 300 p2time 300 p1inc 5 p2inc 5"
        for limits in ("depth 2", "nodes 50", "movetime 30", clocks, f"{clocks} movestogo 3", "btime 0 wtime 0"):
            host.say(f"go {limits}")
            said = host.until("bestmove")
            assert any(line.startswith("info depth") for line in said), limits


@pytest.mark.parametrize("variant", GAME_NAMES)
def test_searchmoves_are_kept_to(host, variant):
    host.ask(f"setoption name UCI_Variant value {variant}")
    (legal,) = host.ask("query legal")
    for move in legal.split()[1:4]:
        host.say(f"go depth 1 searchmoves {move}")
        assert host.until("bestmove")[-1] == f"bestmove {move}"


@pytest.mark.parametrize("variant", GAME_NAMES)
def test_a_search_stopped_before_it_thinks_still_moves(host, variant):
    host.ask(f"setoption name UCI_Variant value {variant}")
    for _ in range(10):
        host.say("go infinite", "stop")
        assert host.until("bestmove")[-1].split()[1] in host.ask("query legal")[0]


@pytest.mark.parametrize("variant", GAME_NAMES)
def test_ponderhit_turns_thinking_into_a_timed_search(host, variant):
    host.ask(f"setoption name UCI_Variant value {variant}")
    host.say("go ponder movetime 40")
    assert all(not line.startswith("bestmove") for line in host.ask())
    host.say("ponderhit")
    assert host.until("bestmove")


def test_multipv_gives_as_many_lines_as_it_says(host):
    host.ask("setoption name MultiPV value 3", "position startpos moves f5")
    host.say("go depth 4")
    said = host.until("bestmove")
    last = [line for line in said if line.startswith("info depth 4 ")]
    assert {re.search(r"multipv (\d)", line)[1] for line in last} == {"1", "2", "3"}


def test_a_session_plays_from_the_book_where_it_is_told_to(host):
    timed, analysis = "go movetime 50", "go depth 3 searchmoves f5"
    host.say("position startpos", timed)
    assert not any(line.startswith("info string book") for line in host.until("bestmove"))
    host.ask("setoption name OwnBook value true")
    host.say(timed)
    said = [line for line in host.until("bestmove") if "waited" not in line]
    assert said[0].startswith("info string book ")
    assert said[1].startswith("info depth ")
    assert said[2].split()[1] == re.search(r" pv (\S+)", said[1])[1]
    host.say(analysis)
    assert not any(line.startswith("info string book") for line in host.until("bestmove"))


def test_a_book_that_is_none_is_told_of_once_and_the_session_goes_on(host):
    host.ask("setoption name OwnBook value true", "setoption name BookFile value /no/such.book")
    for times in (1, 0):
        host.say("position startpos", "go movetime 20")
        said = host.until("bestmove")
        assert said.count("info string book /no/such.book: No such file or directory; playing without a book") == times
        assert said[-1].split()[1] in ("c4", "d3", "e6", "f5")


def test_endgame_tables_that_are_none_are_told_of_once_and_the_session_goes_on(host):
    host.ask("setoption name UCI_Variant value banqi", "setoption name EndgamePath value /no/such.bin")
    complaint = "info string /no/such.bin: No such file or directory; the shipped endgame tables are used instead"
    for times in (1, 0):
        host.say("position fen R.../..../..../..../...n/..../..../.... - r 0 -", "go depth 2")
        said = host.until("bestmove")
        assert said.count(complaint) == times
        assert any(" score cp 10000 " in line for line in said)


def test_scoring_changes_what_is_reported(host):
    board = f"position fen {'X' * 40}{'O' * 10}{'-' * 14} X"
    won_early = f"position fen {'X' * 20}{'-' * 44} O"
    host.ask(won_early)
    scores = {}
    for scoring in FEATURES["othello"].scorings:
        scores[scoring] = host.ask(f"setoption name Scoring value {scoring}", "query score")
    assert scores == {
        "winner-takes-empties": ["response 64"],
        "discs": ["response 20"],
        "split-empties": ["response 20"],
        "usoa": ["response 64"],
    }
    assert host.ask(board, "query score") == ["response none"]


def test_rules_reach_the_game(host):
    host.ask("setoption name UCI_Variant value banqi", "setoption name Rules value noprogress=3")
    host.ask("position fen ..../..../..../..../..../..../k.../...K - r 2 -")
    assert host.ask("position fen ..../..../..../..../..../..../k.../...K - r 2 - moves d1c1", "query result") == [
        "response draw"
    ]


def test_rules_of_old_reversi_reach_the_game_and_its_search(host):
    host.ask("setoption name Rules value rules=1890")
    filled = "position startpos moves d4 e4 d5 e5"
    assert host.ask("position startpos", "query legal") == ["response d4 d5 e4 e5"]
    assert host.ask(filled, "query hand") == ["response 30 30"]
    board = "-" * 27 + "XO------XO" + "-" * 27
    assert host.ask("query fen") == [f"response {board} X 30"]
    assert host.ask(f"position fen {board} X 29", "query hand") == ["response 29 31"]
    host.say("position startpos", "go depth 7")
    assert host.until("bestmove")[-1].split()[1] in ("d4", "d5", "e4", "e5")


def test_rules_belong_to_the_game_that_knows_them_whichever_is_chosen(host):
    host.ask("setoption name Rules value noprogress=3", "setoption name Rules value rules=1886,start=parallel")
    assert host.ask("query legal") == ["response c3 d3 e3 f3"]
    host.ask("setoption name UCI_Variant value banqi")
    assert host.ask("position fen ..../..../..../..../..../..../k.../...K - r 2 - moves d1c1", "query result") == [
        "response draw"
    ]
    host.ask("setoption name Rules")
    assert host.ask("query result") == ["response none"]
    host.ask("setoption name UCI_Variant value othello")
    assert host.ask("query legal") == ["response c3 d3 e3 f3"]


@pytest.mark.parametrize(
    ("variant", "line", "error"),
    [
        (
            "othello",
            "setoption name Rules value rules=1891",
            "rules takes othello or 1886 or 1890, not '1891' at token 5: rules=1891",
        ),
        (
            "othello",
            "setoption name Rules value odd=1",
            "unknown parameter 'odd=1': expected rules=1890 or rules=1886, and with that start=diagonal or "
            "start=parallel at token 5: odd=1",
        ),
        ("banqi", "setoption name Rules value odd=1", "unknown parameter 'odd=1': expected chase=on|off|N"),
        ("othello", "position startpos moves f5 f5", "f5 is taken; legal: d6 f4 f6 at token 5: f5"),
        ("othello", "position startpos moves a1", "a1 turns no disc; legal: c4 d3 e6 f5 at token 4: a1"),
        ("othello", "position fen XO", "expected 64 cells and the side to move, found 2 characters at token 3: XO"),
        ("othello", "query flips a1", "not legal here; legal: c4 d3 e6 f5 at token 3: a1"),
        ("othello", "query flips", "flips takes one square at token 3: (end of line)"),
        (
            "othello",
            "query covered a1",
            "no such question here; expected gameover, result, reason, p1turn, legal, score, fen, flips or discs "
            "at token 2: covered",
        ),
        (
            "banqi",
            "query flips a1",
            "no such question here; expected gameover, result, reason, p1turn, legal, score, fen, banned, captured, "
            "covered or stake at token 2: flips",
        ),
        ("banqi", "query stake", "expected p1 or p2 at token 3: (end of line)"),
        ("banqi", "query stake p3", "expected p1 or p2 at token 3: p3"),
        ("banqi", "query covered a1", "covered takes nothing at token 3: a1"),
        ("banqi", "position startpos moves b8", "a flip in a move list needs its outcome, such as b8=P at token 4: b8"),
        ("banqi", "position startpos moves a1=P b1=P a1b1", "b1 is not empty at token 6: a1b1"),
    ],
)
def test_the_rules_reasons_come_with_their_place(host, variant, line, error):
    host.ask(f"setoption name UCI_Variant value {variant}")
    (said,) = host.ask(line)
    if variant == "othello" or line.startswith("query"):
        assert said == f"info string error: {error}"
    else:
        assert said.startswith("info string error: ")
        assert said.endswith(error.partition(" at token ")[2])


@pytest.mark.parametrize("variant", GAME_NAMES)
def test_a_count_that_would_take_years_is_stopped_at_once(host, variant):
    host.ask(f"setoption name UCI_Variant value {variant}")
    host.say("position startpos", "go perft 30")
    assert host.ask("query p1turn") == ["response true"]
    host.say("stop")
    assert host.until("info string perft")[-1] == "info string perft stopped"


def test_perft_deeper_than_a_game_counts_is_refused(host):
    host.ask("setoption name UCI_Variant value banqi")
    host.say("position startpos", "go perft 201")
    assert host.until("info string error") == ["info string error: perft of banqi counts to depth 200 at token 3: 201"]


@pytest.mark.parametrize("variant", GAME_NAMES)
def test_isready_can_take_the_engines_memory(variant):
    host = Host(reserves_memory=True)
    host.ask()
    assert host.ask(f"setoption name UCI_Variant value {variant}", "setoption name Hash value 8") == []
    host.say("ucinewgame", "go depth 1")
    assert host.until("bestmove")
    host.session.abandon()
    assert host.faults == []


# --- the arbiter's secret -----------------------------------------------------------------------------------------


def choices(seed):
    """What the engine says in a few positions while an arbiter beside it holds a deal."""
    host = Host()
    if seed is not None:
        host.ask(f"arbiter new seed {seed}")
    host.ask("setoption name UCI_Variant value banqi")
    told = []
    for moves in ("", "b2=P c7=k", "b2=P c7=k d1=n a8=R", "a1=p b1=K"):
        if seed is not None:
            host.ask(*(f"arbiter flip {move[:2]}" for move in moves.split()))
        host.say(f"position startpos moves {moves}", "ucinewgame", f"position startpos moves {moves}", "go depth 3")
        told += [re.sub(r" (nps|time) \d+", "", line) for line in host.until("bestmove") if "string" not in line]
    host.session.abandon()
    return told


def test_the_engines_choice_does_not_depend_on_the_hidden_layout():
    assert choices(None) == choices(1) == choices(2)


def test_nothing_that_searches_can_reach_an_arbiter():
    """From a position and an engine no path of attributes leads to a deal."""
    from fanqi.arbiter import Arbiter, Deal, Desk

    game = load_game("banqi")
    seen, frontier = set(), [game.start(), game.engine(), game]
    while frontier:
        thing = frontier.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        assert not isinstance(thing, Arbiter | Deal | Desk)
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        values = [getattr(thing, name, None) for name in slots] + list(getattr(thing, "__dict__", {}).values())
        frontier += [value for value in values if type(value).__module__.startswith("fanqi")]
    assert len(seen) > 3


# --- the document -------------------------------------------------------------------------------------------------


def exchanges():
    """The fenced blocks of the document in which somebody types something."""
    blocks = re.findall(r"^```\n(.*?)^```", PROTOCOL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [block.splitlines() for block in blocks if re.search(r"^> ", block, re.MULTILINE)]


def matches(expected, said):
    """Whether a line of the document is the line said: figures, moves found and hashes may differ."""
    words = expected.rstrip("…").split()
    if words[:2] == ["info", "depth"] or words[:1] == ["bestmove"] or words[0] == "id":
        return said.split()[:1] == words[:1]
    if words[:2] == ["arbiter", "commit"] or words[:2] == ["arbiter", "reveal"]:
        return said.split()[:2] == words[:2]
    return said.split() == words or (expected.endswith("…") and said.startswith(expected.rstrip("…")))


@pytest.mark.parametrize("block", exchanges(), ids=lambda block: block[0][:40])
def test_what_the_document_shows_is_what_happens(host, block):
    if any("b2" in line for line in block):
        host.ask("setoption name UCI_Variant value banqi")
    pending = []
    for line in [*block, "> quit"]:
        if line.startswith("< "):
            pending.append(line[2:])
        elif line.startswith("> "):
            for expected in pending:
                said = host.lines.get(timeout=PATIENCE)
                while not matches(expected, said):
                    assert not said.startswith("info string error"), (expected, said)
                    said = host.lines.get(timeout=PATIENCE)
            pending = []
            host.say(line[2:])


def test_the_document_lists_exactly_the_options_there_are():
    rows = re.findall(r"^\| `([A-Z][^`]+)` \| ([^|]+) \|([^|]*)\|", PROTOCOL.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {name: (kind, default.strip().strip("`")) for name, kind, default in rows}
    for option in option_table().options:
        declared = option.declaration
        kind, default = documented.pop(declared.name)
        if declared.type == "spin":
            assert kind.startswith(f"{declared.lowest}-{declared.highest}"), declared.name
            assert default == declared.default, declared.name
        elif declared.type == "combo":
            assert re.findall(r"`([^`]+)`", kind) == list(declared.choices), declared.name
    assert documented == {}


def test_every_command_of_the_document_is_in_help(host):
    said = "\n".join(host.ask("help"))
    table = PROTOCOL.read_text(encoding="utf-8").partition("| command | what it does")[2].partition("\n\n")[0]
    for cell in re.findall(r"^\| (`[^|]+?) \|", table, re.MULTILINE):
        for command in re.findall(r"`([a-z]+)", cell):
            assert re.search(rf"\b{command}\b", said), command
