"""Whatever comes in, a session answers in the protocol's own lines and lives on."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from fanqi.uci import LineSplitter

WORDS = """
    uci ugi isready ucinewgame uginewgame stop ponderhit d eval help draw debug on off setoption name value position
    startpos fen moves go depth nodes movetime movestogo perft p1time p2time p1inc p2inc wtime btime winc binc infinite
    ponder solve wld selectivity searchmoves query legal score result arbiter new seed flip finish open b8 Hash MultiPV
    Rules UCI_Variant banqi othello max=2 Clear 1 2 3 7 p1 p2 -5 0 99999999999999999999 # \xe9 \x00
"""
from_docs = st.sampled_from(WORDS.split())
lines = st.lists(from_docs, max_size=7).map(" ".join)
streams = st.lists(st.binary(max_size=20) | lines.map(lambda line: f"{line}\n".encode()), max_size=30)

ANSWERS = re.compile(
    r"info string .+|info depth .+|bestmove (\d|\(none\))( ponder \d)?|readyok|u[cg]iok|id .+|option name .+"
    r"|response .+|arbiter (commit|reveal|drawn|opened|finished).*|\d: \d+||Nodes searched: \d+"
    r"|o*|p[12] to move|fen \d+ p[12]|term.*|total 50 cp|.* {2}.+|The whole protocol.*"
)


@given(streams)
def test_any_bytes_get_lines_of_the_protocol_and_every_accepted_go_one_best_move(fakes, chunks):
    dialogue = fakes.Dialogue()
    splitter = LineSplitter()
    for chunk in chunks:
        splitter.feed(chunk)
        while (line := splitter.pop()) is not None:
            if line.split()[:1] == [b"quit"]:
                continue
            dialogue.send(line)
            dialogue.executor.run_all()
    dialogue.say("stop")
    dialogue.executor.run_all()
    dialogue.output.take()
    assert dialogue.faults == []
    dialogue.say("stop", "setoption name UCI_Variant value othello", "setoption name Ponder value false", "debug off")
    assert dialogue.say("position startpos", "go depth 1")[-1] == "bestmove 1"


@given(streams)
def test_every_line_said_is_one_the_protocol_knows(fakes, chunks):
    dialogue = fakes.Dialogue()
    for chunk in chunks:
        for line in chunk.split(b"\n"):
            dialogue.send(line)
            dialogue.executor.run_all()
    for line in dialogue.output.take():
        assert ANSWERS.fullmatch(line), line


@given(st.lists(st.sampled_from(["go infinite", "go ponder depth 1", "go depth 1", "stop", "ponderhit", "isready"])))
def test_best_moves_are_as_many_as_searches_whatever_the_order(fakes, commands):
    dialogue = fakes.Dialogue(loaded=())
    for number, command in enumerate(commands):
        if number == len(commands) // 2:
            dialogue.library.finish()
        dialogue.send(command)
        if number % 3:
            dialogue.executor.run_all()
    dialogue.library.finish()
    dialogue.session.finish()
    dialogue.executor.run_all()
    said = dialogue.output.take()
    assert dialogue.output.over.is_set()
    assert said.count("bestmove 1") == sum(command.startswith("go") for command in commands)
    assert said.count("readyok") == commands.count("isready")
