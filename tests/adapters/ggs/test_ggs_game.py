"""A game is played from the boards and clocks that the service shows, and from nothing else."""

from __future__ import annotations

import asyncio
import io
import itertools
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from ggs_sessions import boards
from virtual_time import run_virtually

from fanqi.ggs.config import Config, read_config
from fanqi.ggs.game import GameState, GameTask
from fanqi.ggs.thinking import Thinker
from fanqi.ggs_wire import Join, Timeout, Update
from fanqi.logs import Logger
from fanqi.othello import Position
from fanqi.search.memory import TableMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable


class Table:
    """A game task and what it sends."""

    def __init__(
        self, game: Any, message: Join | Update, me: str, extra: str = "", log: io.StringIO | None = None
    ) -> None:
        self.sent: list[str] = []
        self.faults: list[str] = []
        self.came = asyncio.Event()
        self.state = GameState(message.game, message.type, me)
        config: Config = read_config(f'server = {{name = "{me}"}}\n{extra}')
        logger = Logger("error" if log is None else "warning", log)
        self.task = GameTask(self.state, config, Thinker(game, 1), self._take, lambda: 1.0, logger, self.faults.append)
        self.runner = asyncio.create_task(self.task.run())

    def _take(self, command: str) -> None:
        self.sent.append(command)
        self.came.set()

    async def next(self) -> str:
        """The next command."""
        async with asyncio.timeout(10):
            while not self.sent:
                self.came.clear()
                await self.came.wait()
        return self.sent.pop(0)

    async def quiet(self, *messages: Join | Update | Timeout) -> None:
        """Look at messages to which nothing is to be said."""
        for message in messages:
            self.task.tell(message)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not self.sent

    async def close(self) -> None:
        self.task.end()
        await self.runner


def run(play: Callable[[], Any]) -> None:
    asyncio.run(play())


def parts(command: str) -> tuple[str, str, float, float]:
    """Game, move, evaluation, seconds of a ``play`` command."""
    word, game, move = command.split()
    square, evaluation, seconds = move.split("/")
    assert word == "play"
    return game, square, float(evaluation), float(seconds)


def test_our_move_is_legal_and_told_with_evaluation_and_time(quick_game: Any) -> None:
    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        game, square, evaluation, seconds = parts(await table.next())
        assert game == ".2"
        assert square in Position().legal_moves()
        assert evaluation == 1.25
        assert 0 <= seconds < 5
        await table.close()

    run(play)


def test_nothing_is_said_while_the_opponent_is_to_move(quick_game: Any) -> None:
    async def play() -> None:
        first, second = boards("A_basic", "bob", ".2")[:2]
        table = Table(quick_game, first, "bob")
        await table.quiet(first)
        table.task.tell(second)
        assert parts(await table.next())[1] in {"d6", "f4", "f6"}
        await table.close()

    run(play)


def test_a_pass_is_said_in_words_and_without_a_search(quick_game: Any) -> None:
    async def play() -> None:
        shown = boards("D_synchro", "bob", ".7.0")
        before_pass = next(
            message
            for message, after in itertools.pairwise(shown)
            if isinstance(after, Update) and after.move.square == "pa"
        )
        table = Table(quick_game, before_pass, "bob")
        table.task.tell(before_pass)
        assert parts(await table.next())[:2] == (".7.0", "pa")
        assert not quick_game.engines[0].searched
        await table.close()

    run(play)


def test_a_komi_bid_is_a_move_for_the_side_to_move_with_its_evaluation(quick_game: Any) -> None:
    async def play() -> None:
        bidding, settled = boards("E_komi", "bob", ".8")[:2]
        table = Table(quick_game, bidding, "bob")
        table.task.tell(bidding)
        assert parts(await table.next())[2] == 1.25
        assert table.state.colour == "?"
        table.task.tell(settled)
        assert parts(await table.next())[0] == ".8"
        assert table.state.colour == "O"
        assert quick_game.engines[0].settings[-1].draw_line == 0.75
        await table.close()

    run(play)


def test_a_second_join_while_the_bid_is_out_does_not_bring_a_second_bid_by_itself(quick_game: Any) -> None:
    async def play() -> None:
        bidding = boards("E_komi", "bob", ".8")[0]
        table = Table(quick_game, bidding, "bob")
        table.task.tell(bidding)
        await table.next()
        await table.quiet()
        await table.close()

    run(play)


@pytest.mark.parametrize(
    ("words", "strength"),
    [
        ("", (False, 20, "none")),
        ("skill_level = 3", (False, 3, "none")),
        ("elo = 900", (True, 20, "none")),
        ("preset = 'beginner'", (False, 20, "beginner")),
    ],
)
def test_the_engine_plays_as_strong_as_the_configuration_says(
    quick_game: Any, words: str, strength: tuple[bool, int, str]
) -> None:
    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice", f"[engine]\n{words}")
        table.task.tell(first)
        await table.next()
        settings = quick_game.engines[0].settings[-1]
        assert (settings.limit_strength, settings.skill_level, settings.preset) == strength
        assert not settings.limit_strength or settings.elo == 900
        await table.close()

    run(play)


def test_in_an_anti_game_the_fewest_discs_are_wanted(quick_game: Any) -> None:
    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        anti = Join(**{name: getattr(first, name) for name in Join.__slots__} | {"type": first.type.parse("8ba")})
        table = Table(quick_game, anti, "alice")
        table.task.tell(anti)
        await table.next()
        assert quick_game.engines[0].settings[-1].objective == "fewest"
        await table.close()

    run(play)


def test_a_whole_synchro_game_is_followed_and_every_answer_is_legal(quick_game: Any) -> None:
    async def play() -> None:
        shown = boards("D_synchro", "alice", ".7.1")
        table = Table(quick_game, shown[0], "alice")
        answers = 0
        for message in shown:
            table.task.tell(message)
            position = Position.from_fen(f"{message.board.cells} {message.board.turn}")
            if message.board.turn == "O" and position.legal_moves():
                square = parts(await table.next())[1]
                assert ("pass" if square == "pa" else square) in position.legal_moves()
                answers += 1
        assert answers == 22
        assert not table.faults
        await table.close()

    run(play)


def test_the_clock_of_a_search_is_the_one_that_was_printed(quick_game: Any) -> None:
    async def play() -> None:
        shown = boards("H2_timeout", "bob", ".15")
        table = Table(quick_game, shown[0], "bob", "engine = {overhead_s = 0.0}")
        await table.quiet(shown[0])
        table.task.tell(shown[1])
        await table.next()
        (_, limits), *_ = quick_game.engines[0].searched
        assert limits.clock is not None
        assert 2500 < limits.clock.remaining_ms <= 3000
        await table.close()

    run(play)


def test_an_engine_that_does_not_stop_in_time_does_not_lose_the_game(quick_game: Any) -> None:
    stuck = threading.Event()
    quick_game.change = lambda engine: setattr(engine, "before_answer", lambda control: stuck.wait(30))

    async def play() -> None:
        first = boards("H_timeout", "alice", ".14")[0]  # one second left
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        assert parts(await table.next())[1] in Position().legal_moves()
        assert table.faults == ["the engine does not stop"]
        stuck.set()
        await table.close()

    run(play)


def test_an_engine_that_obeys_is_stopped_in_time(quick_game: Any) -> None:
    quick_game.change = lambda engine: setattr(engine, "before_answer", lambda control: control.wait_stopped(30))

    async def play() -> None:
        first = boards("H_timeout", "alice", ".14")[0]
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        assert parts(await table.next())[3] < 1.0
        assert not table.faults
        await table.close()

    run(play)


@pytest.mark.parametrize("step", ["configure", "before_answer"])
@pytest.mark.parametrize("failure", [RuntimeError("broken"), MemoryError()])
def test_an_engine_that_fails_is_replaced_by_any_legal_move(quick_game: Any, failure: Exception, step: str) -> None:
    def fail(argument: Any) -> None:
        raise failure

    quick_game.change = lambda engine: setattr(engine, step, fail)

    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        assert parts(await table.next())[1] in Position().legal_moves()
        assert "the engine failed" in table.faults[0]
        await table.close()

    run(play)


def test_without_memory_for_the_table_a_game_is_played_with_the_largest_there_is(quick_game: Any) -> None:
    def need_memory(engine: Any) -> None:
        def take_table(control: Any) -> None:
            if engine.settings[-1].hash_mib > 20:
                raise TableMemoryError(engine.settings[-1].hash_mib, 20)

        engine.before_answer = take_table

    quick_game.change = need_memory
    log = io.StringIO()

    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice", "engine = {hash_mib = 100}", log)
        for _ in range(2):
            table.task.tell(first)
            assert parts(await table.next())[2] == 1.25
        assert not table.faults
        await table.close()

    run(play)
    (engine,) = quick_game.engines
    assert [settings.hash_mib for settings in engine.settings] == [100, 32, 16, 16]
    assert log.getvalue().count("a hash table of 100 MiB, 20 MiB are free; it has 16 MiB now") == 1


class NoThreads:
    """Searches where it is asked to."""

    def __init__(self, slots: int) -> None:
        pass

    def submit(self, work: Callable[[], None]) -> None:
        work()


def answer_after_undo(
    monkeypatch: pytest.MonkeyPatch, game: Any, left_s: int, *later: Callable[[Join], Join]
) -> tuple[float, list[str]]:
    """When we answer the board of an undo, and what is sent at all; boards of ``later`` come a second after it."""
    monkeypatch.setattr("fanqi.ggs.thinking.SearchPool", NoThreads)

    async def play() -> tuple[float, list[str]]:
        shown = boards("A_basic", "alice", ".2")
        at = next(number for number, message in enumerate(shown) if number and isinstance(message, Join))
        undone, before = shown[at], shown[at - 1]
        assert isinstance(undone, Join)
        assert (before.number, undone.number, undone.board.turn) == (3, 2, "*")
        line = undone.players[0]
        clock = replace(line.clock, left=replace(line.clock.left, seconds=left_s))
        undone = replace(undone, players=(replace(line, clock=clock), undone.players[1]))
        loop = asyncio.get_running_loop()
        table = Table(game, before, "alice")
        table.task.tell(before)
        table.task.tell(undone)
        for change in later:
            await asyncio.sleep(1.0)
            table.task.tell(change(undone))
        await asyncio.sleep(0 if table.sent else 60)
        at_s = float(table.sent[0].rpartition("/")[2]) if table.sent else loop.time()
        await table.close()
        return at_s, table.sent

    return run_virtually(play())


def test_after_an_undo_of_our_move_the_opponent_has_time_for_another(
    quick_game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds, sent = answer_after_undo(monkeypatch, quick_game, 300)
    assert (seconds, len(sent)) == (20.0, 1)


def test_with_little_time_left_we_do_not_wait_long_for_another_undo(
    quick_game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer_after_undo(monkeypatch, quick_game, 30)[0] == 3.0


def test_when_the_opponent_takes_back_another_move_we_do_not_answer_at_all(
    quick_game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def back(undone: Join) -> Join:
        return replace(undone, number=1, earlier=(), board=replace(undone.board, turn="O"))

    assert answer_after_undo(monkeypatch, quick_game, 300, back)[1] == []


def test_the_opponents_time_is_used_and_its_expected_reply_answered_from_it(quick_game: Any) -> None:
    searching = threading.Event()
    quick_game.change = lambda engine: setattr(
        engine, "before_answer", lambda control: searching.set() if control.pondering else None
    )

    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        _, square, *_ = parts(await table.next())
        ours = Position().play(square)
        table.task.tell(update(first, ours, 1))
        await asyncio.to_thread(searching.wait, 10)
        expected = ours.play(ours.legal_moves()[0])
        table.task.tell(update(first, expected, 2))
        assert parts(await table.next())[1] in expected.legal_moves()
        searched = quick_game.engines[0].searched
        assert [limits.ponder for _, limits in searched] == [False, True]
        await table.close()

    run(play)


def test_an_unexpected_reply_is_thought_about_anew(quick_game: Any) -> None:
    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice")
        table.task.tell(first)
        _, square, *_ = parts(await table.next())
        ours = Position().play(square)
        table.task.tell(update(first, ours, 1))
        other = ours.play(ours.legal_moves()[-1])
        table.task.tell(update(first, other, 2))
        assert parts(await table.next())[1] in other.legal_moves()
        assert quick_game.engines[0].searched[-1][0] == other.fen()
        await table.close()

    run(play)


def update(first: Join | Update, position: Position, number: int) -> Update:
    """The update that a service would send for a position."""
    cells, turn = position.fen().replace("X", "*").split()
    board = type(first.board)(8, cells, turn)
    return Update(first.game, first.type, None, number, first.move, first.players, board)


def test_resignation_comes_only_when_it_is_wanted_and_the_score_is_hopeless(quick_game: Any) -> None:
    async def play() -> None:
        first = boards("A_basic", "alice", ".2")[0]
        table = Table(quick_game, first, "alice", "offers = {resign = true, resign_discs = 0.0, resign_moves = 1}")
        table.task._hopeless = 1
        table.task._gives_up = lambda thought: True  # type: ignore[method-assign]
        table.task.tell(first)
        assert await table.next() == "resign .2"
        await table.close()

    run(play)
