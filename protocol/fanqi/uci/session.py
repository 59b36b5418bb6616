"""A session: lines in, answers out, one search at a time. It knows no I/O.

At any time it is idle or has one `Task`: loading a game, some short work, or a search. What comes while it is busy
is acted on at once where that makes sense (``stop``, ``isready``, ``d``, …) and otherwise waits in order;
docs/protocol.md has the table. One lock guards everything; nothing is called back while it is held except `Output`,
which must not block and must not call the session.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from fanqi.search import Control, SearchResult
from fanqi.uci.answers import (
    BestMove,
    ReadyOk,
    Response,
    Said,
    format_answer,
)
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
from fanqi.uci.services import SessionConfig
from fanqi.uci.tasks import Loading, Search, Task, Waiting, Work, hit_waiting, stop_waiting
from fanqi.uci.texts import board_lines, help_lines
from fanqi.uci.voice import Voice
from fanqi.uci.works import count_leaves, empty_memory, evaluate, take_memory
from fanqi.uci.workspace import Workspace

if TYPE_CHECKING:
    from fanqi.game import Game, Position
    from fanqi.search import Info, Limits, Settings
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
        self._waiting: deque[Waiting] = deque()
        self._waiting_bytes = 0
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
            self._waiting.clear()
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
            case ShowBoard() | Query() | Draw() | ArbiterCommand() if self._answers_ready and not self._waiting:
                self._attempt(entry)
            case _:
                if self._waiting_bytes + entry.size > self._config.max_waiting_bytes:
                    raise ProtocolError("too many commands wait", 1, entry.word)
                self._waiting.append(entry)
                self._waiting_bytes += entry.size
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
        if self._answers_ready:
            self._answer_waiting_ready()
        if self._closing and self._task is None:
            self._end()

    def _carry_out_waiting(self) -> None:
        while self._waiting and self._task is None:
            name = self._workspace.game_needed(self._waiting[0].command)
            if name is not None and not self._workspace.ready(name):
                self._task = Loading(name)
                self._services.library.request(name, Listener(self, self._task))
                return
            self._attempt(self._next_waiting())

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

    def _next_waiting(self) -> Waiting:
        entry = self._waiting.popleft()
        self._waiting_bytes -= entry.size
        return entry

    def _answer_waiting_ready(self) -> None:
        """A search has begun: ``isready`` that waits behind it need not wait any longer."""
        asked = [entry for entry in self._waiting if isinstance(entry.command, IsReady)]
        if asked:
            self._waiting = deque(entry for entry in self._waiting if entry not in asked)
            for entry in asked:
                self._waiting_bytes -= entry.size
                self._voice.say(ReadyOk())

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
        stop_waiting(self._waiting)
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
        if not hit_waiting(self._waiting, now) and isinstance(self._task, Search):
            self._task.ponderhit(now)
            self._settle(self._task)

    def _finish(self) -> None:
        if not self._closing:
            self._closing = True
            self._stop()
            self._pump()

    def _end(self) -> None:
        self._waiting.clear()
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
                    entry = self._next_waiting()
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
            if isinstance(problem, ProtocolError):
                self._voice.refuse(problem)
            elif problem is not None:
                self._voice.confess(problem, work.word)
            self._pump()

    def _forget(self) -> None:
        if self._workspace.mind.awake:
            self._work(empty_memory(self._workspace))

    def _get_ready(self, entry: Waiting) -> None:
        """Answer ``isready``, after the memory for searches has been taken if that is to be done now."""
        if not self._config.reserves_memory or self._workspace.mind.has_reserved(self._workspace.settings):
            self._voice.say(ReadyOk())
            return
        self._waiting.appendleft(entry)
        self._waiting_bytes += entry.size
        self._work(take_memory(self._workspace))

    # --- searching ------------------------------------------------------------------------------------------

    def _go(self, go: Go, entry: Waiting) -> None:
        """Accept a search: from here on a best move is owed."""
        board, settings = self._workspace.board, self._workspace.settings
        search = Search(entry, board.position, self._workspace.limits(go))
        self._task = search
        outcome = board.position.outcome()
        if outcome is None:
            search.ticket = self._services.executor.submit(lambda: self._think(search, board.game, settings))
            return
        self._voice.print(self._workspace.notation.final_lines(board.position))
        search.result = SearchResult(None)
        self._settle(search)

    def _think(self, search: Search, game: Game, settings: Settings) -> None:
        """On a search slot: from the search's turn to its result."""
        mind = self._workspace.mind
        with suppress(Exception):  # what fails here fails again below, and is told there
            mind.engine(game, settings)  # a first engine takes its time, which is not the search's
        control, limits = self._begin(search)
        cap = self._cap(search, control)
        try:
            engine = mind.engine(game, settings)
            if mind.granted_mib < settings.hash_mib:
                text = f"Hash is {mind.granted_mib} MiB here, not {settings.hash_mib}: others use the rest"
                self._think_aloud(search, format_answer(Said(text)))
            result = engine.search(search.position, limits, control, lambda info: self._report(search, info))
        except Exception as error:
            self._services.fault(error)
            with self._lock:
                self._voice.confess(error, "go", "the search")
            result = SearchResult(None)
        finally:
            control.close()
            if cap is not None:
                cap.cancel()
        with self._lock:
            search.result = result
            if self._voice.ended:
                self._task = None
                self._workspace.mind.drop()
            else:
                self._settle(search)

    def _begin(self, search: Search) -> tuple[Control, Limits]:
        """The search has its turn: start its clock, and charge the wait."""
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

    def _cap(self, search: Search, control: Control) -> threading.Timer | None:
        """What ends the search when it has taken the longest that any may, on its own or the opponent's time."""
        seconds = self._config.max_search_s
        if seconds is None:
            return None

        def end() -> None:
            self._think_aloud(search, format_answer(Said(f"no search goes on for more than {seconds:g} s here")))
            control.stop()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        return timer

    def _report(self, search: Search, info: Info) -> None:
        """One report of the running search."""
        if info.text is not None:
            self._think_aloud(search, format_answer(Said(info.text)))
        if info.text is None or info.pv or info.score_cp is not None:
            self._think_aloud(search, self._workspace.notation.info_line(search.position, info))
            search.reported = True

    def _think_aloud(self, search: Search, line: str) -> None:
        with self._lock:
            if self._task is search:
                self._voice.think(line)

    def _settle(self, search: Search) -> None:
        """Tell the best move, if it is known and need not be held back."""
        result = search.result
        if result is None or search.held:
            return
        if not search.reported:
            for info in result.infos:
                self._voice.think(self._workspace.notation.info_line(search.position, info))
        conduct = self._workspace.conduct(search.position, result.infos)
        move = self._legal(search, result)
        ponder = result.ponder if move == result.move and self._workspace.tells_ponder else None
        self._voice.say(self._written(search.position, BestMove(move, ponder, conduct)))
        self._task = None
        self._pump()

    def _written(self, position: Position, best: BestMove) -> BestMove:
        """A best move as the variant writes it."""
        notation = self._workspace.notation
        if best.move is None:
            return best
        ponder = None if best.ponder is None else notation.write_move(position.play(best.move), best.ponder)
        return replace(best, move=notation.write_move(position, best.move), ponder=ponder)

    def _legal(self, search: Search, result: SearchResult) -> str | None:
        """The move found, or where there is none that is legal, one that is."""
        allowed = search.limits.moves or search.position.legal_moves()
        if result.move in allowed:
            return result.move
        if result.move is not None:
            self._services.fault(RuntimeError(f"the engine chose {result.move}, legal are {' '.join(allowed)}"))
        return allowed[0] if allowed else None


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
