"""Games, each loaded once a process and off the session's thread, however many sessions ask for it."""

from __future__ import annotations

import gc
import threading
import time
from typing import TYPE_CHECKING, Protocol, Self

from fanqi.game import load_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from fanqi.game import Game
    from fanqi.kernels import CompileStep

__all__ = ["Library", "LoadListener", "set_aside_what_is_loaded"]

PROGRESS_SECONDS = 1.0
GRACE_SECONDS = 3.0
"""Reading kernels from the cache takes less than this, and needs no line."""


class LoadListener(Protocol):
    """Who waits for a game. Called from the loading thread."""

    def progressed(self, text: str, *, compiling: bool) -> None:
        """A line for people; ``compiling`` while a cache is filled, which takes a minute or two."""

    def loaded(self, game: Game) -> None:
        """The game is ready."""

    def failed(self, reason: str) -> None:
        """It cannot be loaded, for this reason."""


class Library:
    """Loads games with all their kernels, one after another.

    Args:
        load: finds a game by its name.
        clock: monotonic seconds.
        after_load: called on the loading thread when a game has been loaded, before anybody is told.
    """

    def __init__(
        self,
        load: Callable[[str], Game] = load_game,
        clock: Callable[[], float] = time.monotonic,
        after_load: Callable[[], None] = lambda: None,
    ) -> None:
        self._load = load
        self._clock = clock
        self._after_load = after_load
        self._lock = threading.Lock()
        self._games: dict[str, Game] = {}
        self._listeners: dict[str, list[LoadListener]] = {}
        self._turn = threading.Lock()  # numba compiles one function at a time anyway

    @property
    def busy(self) -> bool:
        """Whether a game is being loaded."""
        return bool(self._listeners)

    def get(self, name: str) -> Game | None:
        """The game if it has been loaded."""
        return self._games.get(name)

    def request(self, name: str, listener: LoadListener) -> None:
        """Load a game unless it is being loaded already, and tell ``listener`` on the loading thread."""
        with self._lock:
            waiting = self._listeners.get(name)
            if waiting is not None:
                waiting.append(listener)
                return
            self._listeners[name] = [listener]
        threading.Thread(target=self._serve, args=(name,), name=f"fanqi-load-{name}", daemon=True).start()

    def _serve(self, name: str) -> None:
        try:
            with self._turn:
                game = self._games.get(name) or self._prepare(name)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            for listener in self._dismiss(name, None):
                listener.failed(reason)
            return
        for listener in self._dismiss(name, game):
            listener.loaded(game)

    def _dismiss(self, name: str, game: Game | None) -> list[LoadListener]:
        with self._lock:
            if game is not None:
                self._games[name] = game
            return self._listeners.pop(name)

    def _prepare(self, name: str) -> Game:
        started = self._clock()
        from fanqi.kernels import notices_to  # imports numba, as the game does

        with notices_to(lambda text: self._tell(name, text, compiling=False)):
            game = self._load(name)
            lacking = must_compile(game)  # else damaged kernels are made anew, which is soon done

            def tell(name: str, text: str, *, compiling: bool) -> None:
                self._tell(name, text, compiling=compiling and lacking)

            with Progress(name, self._clock, tell, lambda: lacking) as progress:
                steps = game.prepare(progress)
        self._after_load()
        compiled = sum(not step.cached for step in steps)
        seconds = self._clock() - started
        news = f", {compiled} of them compiled now" if compiled else ""
        self._tell(name, f"{name}: {len(steps)} kernels ready in {seconds:.1f} s{news}", compiling=False)
        return game

    def _tell(self, name: str, text: str, *, compiling: bool) -> None:
        with self._lock:
            listeners = list(self._listeners.get(name, ()))
        for listener in listeners:
            listener.progressed(text, compiling=compiling)


def set_aside_what_is_loaded() -> None:
    """Leave everything there is now out of later garbage collections; for a process that answers somebody.

    Numba and the kernels stay for good, and are most of the objects: a full collection that looks at them stops all
    Python for 150 to 450 ms. What is garbage already stays as well, and is little (1,100 objects of 174,000).
    """
    gc.freeze()


class Progress:
    """Turns the steps of `fanqi.kernels.compile_kernels` into a line a second, once something is compiled.

    One kernel alone can take ten seconds and more, so a thread speaks up in between: hosts take a silent engine for
    a dead one. It is used as a context manager, which ends that thread.

    Args:
        name: of the game.
        clock: monotonic seconds.
        tell: called with the name, a line and whether kernels are compiled.
        must_compile: whether the cache lacks kernels; asked while the first one takes long, of which nothing else
            tells before it is there.
    """

    def __init__(
        self,
        name: str,
        clock: Callable[[], float],
        tell: Callable[..., None],
        must_compile: Callable[[], bool] = lambda: False,
    ) -> None:
        self._name = name
        self._clock = clock
        self._tell = tell
        self._must_compile = must_compile
        self._compiling = False
        self._done = ""
        self._started = 0.0
        self._next = 0.0
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name=f"fanqi-progress-{name}", daemon=True)

    def __enter__(self) -> Self:
        self._started = self._clock()
        self._ticker.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._ticker.join()

    def __call__(self, done: int, total: int, step: CompileStep) -> None:
        self._compiling = self._compiling or not step.cached
        self._done = f"{done} of {total} done, "
        now = self._clock()
        if self._compiling and now >= self._next:
            self._say(now, f"{step.name} took {step.seconds:.1f} s")

    def _tick(self) -> None:
        while not self._over.wait(PROGRESS_SECONDS / 4):
            now = self._clock()
            if now >= max(self._next, self._started + GRACE_SECONDS):
                self._compiling = self._compiling or (not self._done and self._must_compile())
                self._say(now, f"{now - self._started:.0f} s so far")

    def _say(self, now: float, what: str) -> None:
        self._next = now + PROGRESS_SECONDS
        doing = "compiling" if self._compiling else "loading"  # a busy machine reads its cache slowly, too
        self._tell(self._name, f"{self._name}: {doing} kernels, {self._done}{what}", compiling=self._compiling)


def must_compile(game: Game) -> bool:
    """Whether the cache lacks kernels of a game."""
    from fanqi.kernels import is_compiled, package_of  # imports numba; the game has done so by now

    return not is_compiled(package_of(type(game).__module__))
