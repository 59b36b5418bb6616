"""Whatever bytes come in, only answers of that dialect come out, and the conversation goes on."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fanqi.uci import LineSplitter

SQUARES = [f"{file}{row}" for file in "abcdefgh" for row in range(1, 9)]
CELLS = "---------------------------OX------XO---------------------------X"
WORDS = {
    "gtp": [
        "play genmove reg_genmove undo b w black pass time_settings time_left loadsgf x.sgf boardsize 8 clear_board",
        "komi 1 2 known_command list_commands showboard final_score gogui-rules_board gogui-rules_legal_moves # = ?",
    ],
    "nboard": [
        "nboard set depth game move hint go ping learn analyze contempt 2 -1 1e9 NaN / (;GM[Othello] B[f5] W[] ;) PA",
    ],
    "xboard": [
        "new variant reversi flipello force go playother level st sd time otim ping result setboard hint undo hard",
        "easy post nopost analyze exit . ? memory option usermove @@@@ P@f5 P@z9 0 40 5:00 Skill Level=3 w b 8/8 - 1-0",
    ],
    "cassio": [
        f"ENGINE-PROTOCOL init get-version new-position midgame-search endgame-search stop get-search-infos {CELLS}",
        "empty-hash feed-hash -64 64.00 3 73 100% ENGINE-PROTOCOL",
    ],
    "tcga": [
        "0 1 3 4 6 7 8 9 10 11 12 13 14 15 16 17 18 99 move flip genmove red black unknown K p X - a1 b8 d8 e9 3 60 -5",
    ],
}
ANSWERS = {
    "gtp": r"[=?]\d*( .*)?|",
    "nboard": r"(status|set myname|pong -?\d+|===|search|nodestats|analysis|learned)( .*)?",
    "xboard": r"(feature|move|Illegal move|Error \(|pong|Hint:|setup|piece|telluser|stat01:|1-0|0-1|1/2|\d+ -?\d+ ).*",
    "cassio": r"(ready\.|ok\.|ERROR: .*|version: .*|bye bye\.|node \d+, time .*|[-XO]{65}, move .*)",
    "tcga": r"[=?]\d*( .*)?",
}
ENDS = {"gtp": "quit", "nboard": "quit", "xboard": "quit", "cassio": "ENGINE-PROTOCOL quit", "tcga": "5 quit"}


def streams(dialect: str) -> st.SearchStrategy[bytes]:
    """Bytes that are nonsense, and lines of the dialect's own words in any order."""
    words = [word for group in WORDS[dialect] for word in group.split()] + SQUARES
    lines = st.lists(st.sampled_from(words) | st.text(max_size=5), max_size=6).map(" ".join)
    spoken = st.lists(lines, max_size=12).map(lambda found: "\n".join(found).encode("utf-8", "surrogatepass"))
    return spoken | st.binary(max_size=300) | st.tuples(spoken, st.binary(max_size=40), spoken).map(b"\n".join)


@pytest.mark.parametrize("dialect", sorted(WORDS))
def test_any_byte_stream_gives_only_answers_of_the_dialect(dialect, host):
    answer = re.compile(ANSWERS[dialect])

    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(streams(dialect))
    def check(data):
        talk = host(dialect)
        splitter = LineSplitter()
        splitter.feed(data)
        splitter.end()
        while (line := splitter.pop()) is not None:
            talk.translator.receive(line)
        talk.say(ENDS[dialect])
        in_reply = False  # a GTP answer of several lines may hold anything up to its empty line
        for said in talk.rest():
            if dialect == "gtp":
                assert in_reply or said == "" or answer.fullmatch(said), said
                in_reply = said != ""
            else:
                assert answer.fullmatch(said), said
        assert talk.faults == []

    check()


@pytest.mark.parametrize("dialect", sorted(WORDS))
def test_a_line_without_end_is_refused_and_the_next_one_is_heard(dialect, host):
    talk = host(dialect)
    splitter = LineSplitter()
    splitter.feed(b"x" * 1_000_000 + b"\n")
    talk.translator.receive(splitter.pop())
    talk.say(ENDS[dialect])
    refusal, *_ = talk.rest()
    assert "long" in refusal
