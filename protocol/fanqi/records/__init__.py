"""Records of games and positions, in every form people keep them in.

Pure functions between the text (or bytes) of one game and a `GameRecord`; `read_records` reads whole files of them, and
`parse_position` whatever position somebody has at hand.
"""

from fanqi.records.errors import RecordError
from fanqi.records.formats import (
    FORMATS,
    Format,
    TextWriter,
    Writer,
    detect,
    format_for_suffix,
    numbered,
    parse_records,
    read_records,
)
from fanqi.records.game import GameRecord, PlayedMove, Result, calendar_day, plain_moves
from fanqi.records.ggf import format_ggf, parse_ggf
from fanqi.records.jsonl import format_json, parse_json
from fanqi.records.obf import Problem, format_obf, format_problem, parse_obf, parse_problem
from fanqi.records.pgn import format_pgn, parse_pgn
from fanqi.records.positions import final_position, parse_game_or_position, parse_position, positions
from fanqi.records.sgf import format_sgf, parse_sgf
from fanqi.records.tcga import format_tcga, parse_tcga
from fanqi.records.transcript import format_transcript, parse_transcript
from fanqi.records.wthor import (
    WthorError,
    WthorFile,
    WthorHeader,
    format_names,
    format_wthor,
    parse_names,
    parse_wthor,
    read_names,
)
from fanqi.records.wthor_games import WthorWriter, wthor_games

__all__ = [
    "FORMATS",
    "Format",
    "GameRecord",
    "PlayedMove",
    "Problem",
    "RecordError",
    "Result",
    "TextWriter",
    "Writer",
    "WthorError",
    "WthorFile",
    "WthorHeader",
    "WthorWriter",
    "calendar_day",
    "detect",
    "final_position",
    "format_for_suffix",
    "format_ggf",
    "format_json",
    "format_names",
    "format_obf",
    "format_pgn",
    "format_problem",
    "format_sgf",
    "format_tcga",
    "format_transcript",
    "format_wthor",
    "numbered",
    "parse_game_or_position",
    "parse_ggf",
    "parse_json",
    "parse_names",
    "parse_obf",
    "parse_pgn",
    "parse_position",
    "parse_problem",
    "parse_records",
    "parse_sgf",
    "parse_tcga",
    "parse_transcript",
    "parse_wthor",
    "plain_moves",
    "positions",
    "read_names",
    "read_records",
    "wthor_games",
]
