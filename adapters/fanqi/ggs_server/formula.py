"""The formulas by which a player has requests accepted or declined without asking: ``rated & mr >= 2000.0``.

A formula is an expression over facts about a request, from the view of the one whose formula it is. Booleans join by
``|`` and ``&`` (lowest), numbers and colours compare, numbers calculate; ``!``, ``+``, ``-`` and parentheses bind
tightest. ``T`` and ``F`` are constants, ``B``, ``W`` and ``?`` colours.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["Formula", "FormulaError", "parse_formula"]

Value = bool | float | str
Facts = Mapping[str, Value]
Expression = Callable[[Facts], Value]

MAX_LENGTH = 1024
FACTS: dict[str, type] = {
    **dict.fromkeys(("saved", "rated", "rand", "synchro", "komi", "anti"), bool),
    **dict.fromkeys(("ml1", "ma2", "ma3", "ol1", "oa2", "oa3"), bool),
    **dict.fromkeys(("discs", "size", "stored", "mr", "or"), float),
    **dict.fromkeys(("mt1", "mm1", "mt2", "mm2", "mt3", "mm3"), float),
    **dict.fromkeys(("ot1", "om1", "ot2", "om2", "ot3", "om3"), float),
    **dict.fromkeys(("mc", "oc"), str),
}
TOKEN = re.compile(r"\s*(?:(\d+\.\d*|\d+)|([a-z]+\d?)|(==|!=|<=|>=|[|&<>+\-*/!()TFBW?]))")
COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class FormulaError(ValueError):
    """A formula that cannot be read; the message is what the player is told."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its text, and whether a request fits it."""

    text: str
    fits: Callable[[Facts], bool]


NEVER = Formula("", lambda facts: False)


def parse_formula(text: str) -> Formula:
    """Read a formula; the empty one fits nothing.

    Raises:
        FormulaError: it cannot be read, or is no truth value.
    """
    text = " ".join(text.split())
    if not text:
        return NEVER
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"E0.?: longer than {MAX_LENGTH} characters")
    parser = Parser(text)
    kind, expression = parser.truth()
    if parser.rest:
        raise FormulaError(f"E0.?: {parser.rest}")
    if kind is not bool:
        raise FormulaError(f"E1.?: not a truth value: {text}")
    return Formula(text, lambda facts: bool(expression(facts)))


class Parser:
    """Recursive descent over the five levels of binding."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.depth = 0

    def peek(self) -> tuple[str, str, str]:
        """The next number, name and symbol, two of them empty; all empty when nothing fits."""
        found = TOKEN.match(self.rest)
        return (found[1] or "", found[2] or "", found[3] or "") if found else ("", "", "")

    def take(self) -> None:
        found = TOKEN.match(self.rest)
        if found is not None:
            self.rest = self.rest[found.end() :].lstrip()

    def binary(
        self,
        symbols: Mapping[str, Callable[[Value, Value], Value]],
        operand: Callable[[], tuple[type, Expression]],
        check: Callable[[str, type, type], type],
    ) -> tuple[type, Expression]:
        """Operands of one level, joined from the left."""
        kind, left = operand()
        while (symbol := self.peek()[2]) in symbols:
            before = self.rest
            self.take()
            right_kind, right = operand()
            try:
                kind = check(symbol, kind, right_kind)
            except TypeError:
                raise FormulaError(f"E2.?: {before}") from None
            left = joined(symbols[symbol], left, right)
        return kind, left

    def truth(self) -> tuple[type, Expression]:
        symbols = {"|": lambda a, b: bool(a or b), "&": lambda a, b: bool(a and b)}
        return self.binary(symbols, self.comparison, both(bool, bool))

    def comparison(self) -> tuple[type, Expression]:
        def check(symbol: str, left: type, right: type) -> type:
            if left is not right or (symbol not in ("==", "!=") and left is not float):
                raise TypeError
            return bool

        return self.binary(COMPARISONS, self.total, check)

    def total(self) -> tuple[type, Expression]:
        return self.binary({"+": operator.add, "-": operator.sub}, self.product, both(float, float))

    def product(self) -> tuple[type, Expression]:
        return self.binary({"*": operator.mul, "/": divide}, self.unary, both(float, float))

    def unary(self) -> tuple[type, Expression]:
        number, name, symbol = self.peek()
        before = self.rest
        self.take()
        self.depth += 1
        if self.depth > 100:
            raise FormulaError(f"E5.?: too deep: {before}")
        try:
            if number:
                return float, constant(float(number))
            if name:
                return self.fact(name, before)
            if symbol in ("T", "F"):
                return bool, constant(symbol == "T")
            if symbol in ("B", "W", "?"):
                return str, constant(symbol)
            if symbol == "(":
                kind, inner = self.truth()
                if self.peek()[2] != ")":
                    raise FormulaError(f"E5.?: {self.rest}")
                self.take()
                return kind, inner
            if symbol in ("!", "+", "-"):
                return self.signed(symbol, before)
            raise FormulaError(f"E5.?: {before}")
        finally:
            self.depth -= 1

    def signed(self, symbol: str, before: str) -> tuple[type, Expression]:
        kind, inner = self.unary()
        if kind is not (bool if symbol == "!" else float):
            raise FormulaError(f"E5.?: {before}")
        if symbol == "!":
            return bool, lambda facts: not inner(facts)
        sign = -1.0 if symbol == "-" else 1.0
        return float, lambda facts: sign * float(inner(facts))

    def fact(self, name: str, before: str) -> tuple[type, Expression]:
        if name in FACTS:
            return FACTS[name], lambda facts: facts[name]
        if name == "playing":  # how many games of random starts (or not) I am playing
            kind, which = self.unary()
            if kind is bool:
                return float, lambda facts: facts["playing_rand" if which(facts) else "playing_other"]
        raise FormulaError(f"E5.?: {before}")


def both(left: type, right: type) -> Callable[[str, type, type], type]:
    """A check that operands are of these kinds; the result is of the first."""

    def check(symbol: str, found_left: type, found_right: type) -> type:
        if (found_left, found_right) != (left, right):
            raise TypeError(symbol)
        return left

    return check


def joined(how: Callable[[Value, Value], Value], left: Expression, right: Expression) -> Expression:
    return lambda facts: how(left(facts), right(facts))


def constant(value: Value) -> Expression:
    return lambda facts: value


def divide(numerator: Value, denominator: Value) -> Value:
    """Division in which nothing fails: by zero it gives zero."""
    return float(numerator) / float(denominator) if denominator else 0.0
