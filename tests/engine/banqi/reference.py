"""Banqi with one object a man and dictionaries: slow, and obviously what the rules say."""

from __future__ import annotations

from collections import Counter

RANKS = "KGMRNCP"


class Man:
    """Identity matters: chases are counted between men, wherever they stand."""

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.colour = "r" if letter.isupper() else "b"
        self.kind = letter.upper()


def other(colour: str) -> str:
    return "b" if colour == "r" else "r"


class Reference:
    """A game in progress; a covered square holds ``"X"``, a face-up one a `Man`."""

    def __init__(self, fen: str, chase: int = 5, no_progress: int = 60) -> None:
        ranks, hidden, turn, quiet, counts = fen.split()
        self.chase_limit, self.quiet_limit = chase, no_progress
        self.board = {}
        for row, rank in enumerate(ranks.split("/")):
            for column, letter in enumerate(rank):
                if letter != ".":
                    self.board[column, 7 - row] = "X" if letter == "X" else Man(letter)
        self.hidden = Counter("" if hidden == "-" else hidden)
        self.turn = turn[0]
        self.quiet = int(quiet)
        self.chases = {}
        for item in [] if counts == "-" else counts.split(","):
            pair, count = item[2:].split("=")
            chaser, target = (self.board[self.square(name)] for name in pair.split(">"))
            self.chases[chaser, target] = int(count)

    @staticmethod
    def square(name: str) -> tuple[int, int]:
        return "abcd".index(name[0]), int(name[1]) - 1

    @staticmethod
    def name(square: tuple[int, int]) -> str:
        return "abcd"[square[0]] + str(square[1] + 1)

    def neighbours(self, square):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            x, y = square[0] + dx, square[1] + dy
            if 0 <= x < 4 and 0 <= y < 8:
                yield (x, y), (dx, dy)

    def takes_beside(self, attacker: Man, victim: Man) -> bool:
        if attacker.kind == "C":
            return False
        if attacker.kind == "P":
            return victim.kind in "PK"
        if attacker.kind == "K":
            return victim.kind != "P"
        return RANKS.index(attacker.kind) <= RANKS.index(victim.kind)

    def victims(self, square) -> list:
        """Squares of the enemies that the man on ``square`` takes."""
        man = self.board[square]
        found = []
        for neighbour, (dx, dy) in self.neighbours(square):
            if man.kind != "C":
                victim = self.board.get(neighbour)
                if isinstance(victim, Man) and victim.colour != man.colour and self.takes_beside(man, victim):
                    found.append(neighbour)
                continue
            line = []
            x, y = neighbour
            while 0 <= x < 4 and 0 <= y < 8:
                if (x, y) in self.board:
                    line.append((x, y))
                x, y = x + dx, y + dy
            if len(line) > 1:
                victim = self.board[line[1]]
                if isinstance(victim, Man) and victim.colour != man.colour:
                    found.append(line[1])
        return found

    def after_step(self, origin, target) -> dict:
        """Chase counts of the mover's side after a quiet move, as {target man: count}."""
        man = self.board.pop(origin)
        self.board[target] = man
        attacked = [self.board[square] for square in self.victims(target)]
        self.board[origin] = self.board.pop(target)
        return {victim: self.chases.get((man, victim), 0) + 1 for victim in attacked}

    def actions(self) -> tuple[list[str], list[str]]:
        """Legal and banned moves by the notation of the engine."""
        legal = [self.name(square) for square, man in self.board.items() if man == "X"]
        banned = []
        for square, man in list(self.board.items()):
            if man == "X" or man.colour != self.turn:
                continue
            legal += [self.name(square) + self.name(victim) for victim in self.victims(square)]
            for target, _ in self.neighbours(square):
                if target not in self.board:
                    counts = self.after_step(square, target).values()
                    too_often = self.chase_limit and any(count > self.chase_limit for count in counts)
                    (banned if too_often else legal).append(self.name(square) + self.name(target))
        return sorted(legal), sorted(banned)

    def play(self, move: str) -> None:
        mover = self.turn
        if "=" in move:
            square, letter = self.square(move[:2]), move[3]
            assert self.board[square] == "X" and self.hidden[letter] > 0
            self.hidden[letter] -= 1
            self.board[square] = Man(letter)
            if mover == "?":
                mover = self.board[square].colour
            self.quiet, self.chases = 0, {}
        else:
            origin, target = self.square(move[:2]), self.square(move[2:])
            if target in self.board:
                self.board[target] = self.board.pop(origin)
                self.quiet, self.chases = 0, {}
            else:
                fresh = self.after_step(origin, target) if self.chase_limit else {}
                man = self.board.pop(origin)
                self.board[target] = man
                self.chases = {pair: n for pair, n in self.chases.items() if pair[0].colour != mover}
                self.chases |= {(man, victim): count for victim, count in fresh.items()}
                self.quiet += 1
        self.turn = other(mover)

    def men(self, colour: str) -> int:
        face_up = sum(man != "X" and man.colour == colour for man in self.board.values())
        return face_up + sum(n for letter, n in self.hidden.items() if letter.isupper() == (colour == "r"))

    def result(self) -> tuple[str, str] | None:
        """(winning colour or "draw", reason) of a finished game."""
        for colour in "rb":
            if self.men(colour) == 0:
                return other(colour), "extinct"
        legal, banned = self.actions()
        if not legal:
            return other(self.turn), "all_banned" if banned else "no_moves"
        if self.quiet >= self.quiet_limit:
            return "draw", "no_progress"
        return None

    def fen(self) -> str:
        where = {man: square for square, man in self.board.items() if man != "X"}
        ranks = []
        for row in range(7, -1, -1):
            men = [self.board.get((column, row), ".") for column in range(4)]
            ranks.append("".join(man if isinstance(man, str) else man.letter for man in men))
        hidden = "".join(letter * self.hidden[letter] for letter in "KGMRNCPkgmrncp")
        chases = sorted(
            ("rb".index(chaser.colour), where[chaser][::-1], where[victim][::-1], count)
            for (chaser, victim), count in self.chases.items()
        )
        text = ",".join(
            f"{'rb'[colour]}:{self.name(chaser[::-1])}>{self.name(victim[::-1])}={count}"
            for colour, chaser, victim, count in chases
        )
        turn = "?0" if self.turn == "?" else self.turn
        return f"{'/'.join(ranks)} {hidden or '-'} {turn} {self.quiet} {text or '-'}"
