"""A session: lines in, answers out, one search at a time. It knows no I/O.

At any time it is idle or has one `Task`: loading a game, some short work, or a search. What comes while it is busy
is acted on at once where that makes sense (``stop``, ``isready``, ``d``, …) and otherwise waits in order;
docs/protocol.md has the table. One lock guards everything; nothing is called while it is held except `Output` and
`Services`, which must not block and must not call the session.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, assert_never

from fanqi.search import Control, SearchResult
from fanqi.uci.answers import ReadyOk, Response, Said
from fanqi.uci.backlog import Backlog, Waiting
from fanqi.uci.commands import (
    ArbiterCommand,
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
from fanqi.uci.limits import charge, describe
from fanqi.uci.lines import MAX_LINE, LongLine
from fanqi.uci.parse import parse_command
from fanqi.uci.searcher import Searcher
from fanqi.uci.services import SessionConfig
from fanqi.uci.tasks import Loading, Search, Task, Work
from fanqi.uci.texts import board_lines, help_lines
from fanqi.uci.voice import Voice
from fanqi.uci.works import count_leaves, empty_memory, evaluate, take_memory
from fanqi.uci.workspace import Workspace

if TYPE_CHECKING:
    from fanqi.game import Game
    from fanqi.search import Limits
    from fanqi.uci.services import Output, Services

__all__ = ["Session"]

WAIT_WORTH_TELLING_MS = 1.0


class Session:
    """See the module. Every public method may be called from any thread."""

    def __init__(self, output: Output, services: Services, config: SessionConfig | None = None) -> None:
        self._voice = Voice(output)
        self._services = services
        self._config = config or SessionConfig()
        self._lock = threading.Lock()
        self._workspace = Workspace(self._config.options, services.library, services.hash_budget)
        self._task: Task | None = None
        self._backlog = Backlog(self._config.max_waiting_bytes)
        self._searcher = Searcher(self, self._workspace, services, self._config.max_search_s)
        self._pumping = False
        self._closing = False  # no more input

    # --- from outside ---------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether something runs or waits."""
        return self._task is not None

    def receive(self, line: str | bytes | LongLine) -> None:
        """One line of input, without its line feed."""
        with self._lock:
            if self._closing:
                return
            try:
                if isinstance(line, LongLine):
                    start = line.start.decode("utf-8", "surrogateescape")
                    raise ProtocolError(f"line longer than {MAX_LINE} bytes", 1, f"{start}…")
                command = parse_command(line)
                if command is not None:
                    self._accept(Waiting(command, self._services.clock(), len(line)))
            except ProtocolError as error:
                self._voice.refuse(error)

    def finish(self) -> None:
        """The input has ended: do what was asked for, every search stopped, then end."""
        with self._lock:
            self._finish()

    def close(self, why: str) -> None:
        """As `finish`, but at the wish of the server, which says why."""
        with self._lock:
            if not self._closing:
                self._voice.say(Said(f"closing: {why}"))
                self._finish()

    def abandon(self) -> None:
        """Nobody listens any more: stop everything and say nothing."""
        with self._lock:
            self._closing = True
            self._voice.fall_silent()
            self._backlog.clear()
            match self._task:
                case Search() as search:
                    if search.result is not None or not search.stop():
                        self._task = None
                case Work() as work:
                    work.stopped = True
                case Loading() | None:
                    self._task = None
            if self._task is None:
                self._workspace.mind.drop()

    # --- input ----------------------------------------------------------------------------------------------

    def _accept(self, entry: Waiting) -> None:
        """Act on a command at once, or let it wait until the session is free."""
        match entry.command:
            case Handshake(protocol):
                self._voice.introduce(protocol, self._config.options.listed(self._workspace.variant))
            case Help():
                self._voice.print(help_lines())
            case Debug(on):
                self._voice.explains = on
            case Stop():
                self._stop()
            case PonderHit():
                self._ponderhit()
            case Quit():
                self._finish()
            case IsReady() if self._answers_ready:
                self._voice.say(ReadyOk())
            case ShowBoard() | Query() | Draw() | ArbiterCommand() if self._answers_ready and not self._backlog:
                self._attempt(entry)
            case _:
                self._backlog.add(entry)
                self._pump()

    @property
    def _answers_ready(self) -> bool:
        """Whether ``isready`` need not wait: the game is loaded, and busy with a search or the like."""
        match self._task:
            case Search():
                return True
            case Work() as work:
                return not work.blocks_ready
            case _:
                return False

    def _pump(self) -> None:
        """Carry out what waits until something keeps the session busy; end when asked to and nothing is left."""
        if self._pumping:  # a command that was done at once calls here from within
            return
        self._pumping = True
        try:
            self._carry_out_waiting()
        finally:
            self._pumping = False
        if self._answers_ready:  # a search has begun: ``isready`` that waits behind it need not wait any longer
            for _ in range(self._backlog.take_ready()):
                self._voice.say(ReadyOk())
        if self._closing and self._task is None:
            self._end()

    def _carry_out_waiting(self) -> None:
        while self._backlog and self._task is None:
            name = self._workspace.game_needed(self._backlog.first)
            if name is not None and not self._workspace.ready(name):
                self._task = Loading(name)
                self._services.library.request(name, Listener(self, self._task))
                return
            self._attempt(self._backlog.next())

    def _attempt(self, entry: Waiting) -> None:
        """Carry out a command; whatever is wrong with it or with us, the session goes on."""
        try:
            self._carry_out(entry)
        except ProtocolError as error:
            self._voice.refuse(error)
        except Exception as error:
            self._services.fault(error)
            self._voice.confess(error, entry.word)
            self._task = None

    def _carry_out(self, entry: Waiting) -> None:
        match entry.command:
            case IsReady():
                self._get_ready(entry)
            case NewGame():
                self._workspace.new_game()
                self._forget()
            case SetOption() as command:
                if self._workspace.set_option(command):
                    self._forget()
            case SetPosition() as command:
                self._workspace.set_position(command)
            case Go() as go:
                self._go(go, entry)
            case Perft(depth):
                work = count_leaves(self._workspace, depth, self._config.max_perft_depth)
                work.stopped = entry.stopped
                self._work(work)
            case Evaluate():
                self._work(evaluate(self._workspace))
            case ShowBoard():
                self._voice.print(board_lines(self._workspace.position, self._workspace.notation))
            case Query() as query:
                self._voice.say(Response(self._workspace.query(query)))
            case Draw():
                self._voice.say(Response("accept" if self._workspace.accepts_draw else "decline"))
            case ArbiterCommand(words):
                self._voice.print((self._workspace.arbiter(words),))
            case Handshake() | Help() | Debug() | Stop() | PonderHit() | Quit():
                raise AssertionError(entry.command)  # acted on at once, these never wait
            case _:
                assert_never(entry.command)

    def _stop(self) -> None:
        self._backlog.stop()
        match self._task:
            case Search() as search:
                if not search.stop():
                    self._voice.say(Said("stopped before its turn: nothing was searched"))
                    search.result = SearchResult(None)
                self._settle(search)
            case Work() as work:
                work.stopped = True
            case _:
                pass

    def _ponderhit(self) -> None:
        now = self._services.clock()
        if not self._backlog.hit(now) and isinstance(self._task, Search):
            self._task.ponderhit(now)
            self._settle(self._task)

    def _finish(self) -> None:
        if not self._closing:
            self._closing = True
            self._stop()
            self._pump()

    def _end(self) -> None:
        self._backlog.clear()
        self._workspace.mind.drop()
        self._voice.end()

    # --- loading --------------------------------------------------------------------------------------------

    def load_progressed(self, task: Loading, text: str, *, compiling: bool) -> None:
        """For `Listener`: a line about the progress of loading."""
        with self._lock:
            if self._task is task:
                self._voice.say(Said(text))
                if self._closing and compiling:
                    self._task = None
                    self._end()

    def load_ended(self, task: Loading, problem: str | None) -> None:
        """For `Listener`: the game is there, or cannot be had."""
        with self._lock:
            if self._task is task:
                self._task = None
                if problem is not None:
                    entry = self._backlog.next()
                    self._voice.refuse(ProtocolError(f"{task.game} cannot be loaded ({problem})", 1, entry.word))
                self._pump()

    # --- short work -----------------------------------------------------------------------------------------

    def _work(self, work: Work) -> None:
        """Run it on a search slot and print the lines it returns."""
        self._task = work
        self._services.executor.submit(lambda: self._do_work(work))

    def _do_work(self, work: Work) -> None:
        lines: tuple[str, ...] = ()
        problem: Exception | None = None
        try:
            lines = tuple(work.job(work))
        except ProtocolError as error:
            problem = error
        except Exception as error:
            self._services.fault(error)
            problem = error
        with self._lock:
            self._task = None
            if self._voice.ended:
                self._workspace.mind.drop()
            self._voice.print(lines)
            if problem is not None:
                self._voice.tell_trouble(problem, work.word)
            self._pump()

    def _forget(self) -> None:
        if self._workspace.mind.awake:
            self._work(empty_memory(self._workspace))

    def _get_ready(self, entry: Waiting) -> None:
        """Answer ``isready``, after the memory for searches has been taken if that is to be done now."""
        reserved = self._workspace.mind.has_reserved(self._workspace.settings)
        if reserved or entry.prepared or not self._config.reserves_memory:
            self._voice.say(ReadyOk())
            return
        entry.prepared = True
        self._backlog.put_back(entry)
        self._work(take_memory(self._workspace))

    # --- searching ------------------------------------------------------------------------------------------

    def _go(self, go: Go, entry: Waiting) -> None:
        """Accept a search: from here on a best move is owed."""
        board, settings = self._workspace.board, self._workspace.settings
        search = Search(entry, board.position, self._workspace.limits(go))
        self._task = search
        if board.position.outcome() is None:
            self._searcher.submit(search, board.game, settings)
            return
        self._voice.print(self._workspace.notation.final_lines(board.position))
        search.result = SearchResult(None)
        self._settle(search)

    def search_begins(self, search: Search) -> tuple[Control, Limits]:
        """For `Searcher`: start the search's clock, and charge the wait."""
        with self._lock:
            now = self._services.clock()
            control = Control(pondering=search.pondering, clock=self._services.clock)
            search.control = control
            if search.origin.stopped:
                control.stop()
            limits = charge(search.limits, search.waited_ms(now))
            waited_ms = (now - search.origin.received) * 1000
            if waited_ms >= WAIT_WORTH_TELLING_MS:
                self._voice.say(Said(f"waited {waited_ms:.0f} ms for its turn"))
            self._voice.explain(f"go {describe(limits, search.position, self._workspace.notation)}")
            return control, limits

    def search_says(self, search: Search, line: str) -> None:
        """For `Searcher`: a line of thinking."""
        with self._lock:
            if self._task is search:
                self._voice.think(line)

    def search_troubled(self, error: Exception) -> None:
        """For `Searcher`: something was wrong with what was set, or with us."""
        with self._lock:
            self._voice.tell_trouble(error, "go", "the search")

    def search_ended(self, search: Search, result: SearchResult) -> None:
        """For `Searcher`: the search has come to a result."""
        with self._lock:
            search.result = result
            if self._voice.ended:
                self._task = None
                self._workspace.mind.drop()
            else:
                self._settle(search)

    def _settle(self, search: Search) -> None:
        """Tell the best move, if it is known and need not be held back."""
        result = search.result
        if result is None or search.held:
            return
        if not search.reported:
            for info in result.infos:
                self._voice.think(self._workspace.notation.info_line(search.position, info))
        self._voice.say(self._workspace.best_move(search.position, search.move, result))
        self._task = None
        self._pump()


class Listener:
    """Waits for a game on behalf of a session."""

    def __init__(self, session: Session, task: Loading) -> None:
        self._session = session
        self._task = task

    def progressed(self, text: str, *, compiling: bool) -> None:
        self._session.load_progressed(self._task, text, compiling=compiling)

    def loaded(self, game: Game) -> None:
        self._session.load_ended(self._task, None)

    def failed(self, reason: str) -> None:
        self._session.load_ended(self._task, reason)
