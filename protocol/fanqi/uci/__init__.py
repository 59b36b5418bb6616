"""The protocol: words to typed commands and back, and the session that acts on them. Neither does any I/O."""

from fanqi.uci.answers import (
    Answer,
    ArbiterAnswer,
    BestMove,
    HandshakeDone,
    Identity,
    OptionDeclaration,
    ReadyOk,
    Response,
    Said,
    format_answer,
    parse_answer,
)
from fanqi.uci.budget import HashBudget
from fanqi.uci.commands import (
    ArbiterCommand,
    Command,
    Debug,
    Draw,
    Evaluate,
    Go,
    Handshake,
    Help,
    IsReady,
    NewGame,
    Perft,
    PonderHit,
    Query,
    Quit,
    SetOption,
    SetPosition,
    ShowBoard,
    Stop,
)
from fanqi.uci.errors import ProtocolError
from fanqi.uci.executor import Executor, SearchPool, Ticket
from fanqi.uci.library import Library, set_aside_what_is_loaded
from fanqi.uci.lines import MAX_LINE, LineSplitter, LongLine
from fanqi.uci.options import OptionTable, option_table
from fanqi.uci.parse import format_command, parse_command
from fanqi.uci.services import Output, Services, SessionConfig
from fanqi.uci.session import Session

__all__ = [
    "MAX_LINE",
    "Answer",
    "ArbiterAnswer",
    "ArbiterCommand",
    "BestMove",
    "Command",
    "Debug",
    "Draw",
    "Evaluate",
    "Executor",
    "Go",
    "Handshake",
    "HandshakeDone",
    "HashBudget",
    "Help",
    "Identity",
    "IsReady",
    "Library",
    "LineSplitter",
    "LongLine",
    "NewGame",
    "OptionDeclaration",
    "OptionTable",
    "Output",
    "Perft",
    "PonderHit",
    "ProtocolError",
    "Query",
    "Quit",
    "ReadyOk",
    "Response",
    "Said",
    "SearchPool",
    "Services",
    "Session",
    "SessionConfig",
    "SetOption",
    "SetPosition",
    "ShowBoard",
    "Stop",
    "Ticket",
    "format_answer",
    "format_command",
    "option_table",
    "parse_answer",
    "parse_command",
    "set_aside_what_is_loaded",
]
