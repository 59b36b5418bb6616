"""How every command says what was wrong: ``fanqi COMMAND: error: TEXT``, one line on stderr."""

from __future__ import annotations

import re
from typing import NoReturn, cast

import typer

from fanqi.exit_codes import MISUSED
from fanqi.files import described
from fanqi.uci.errors import shown

__all__ = ["UsageError", "did_you_mean", "die", "explain", "say", "say_error"]

UsageError = cast("type[Exception]", typer.BadParameter.__base__)
"""Whatever typer refuses on a command line. It gives the class no public name, and takes it from different packages."""

LONGEST = 2000
BAD_VALUE = re.compile(r"Invalid value for (?P<where>.+?): (?P<what>.*)", re.DOTALL)
CHOICES = re.compile(r"Missing (?P<what>argument|option|parameter) (?P<name>\S+?)\.(?P<choices> .*)?", re.DOTALL)
NO_OPTION = re.compile(r"No such option: (?P<name>\S+)(?: \(Possible options: (?P<like>.*)\))?", re.DOTALL)
NO_COMMAND = re.compile(r"No such command '(?P<name>.*?)'\.(?P<like>.*)", re.DOTALL)
QUOTED = re.compile(r"'([^']*)'")
TOO_MANY = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)", re.DOTALL)
NUMBERS = {
    "Input should be a valid integer, unable to parse string as an integer": "expected a whole number",
    "Input should be a valid number, unable to parse string as a number": "expected a number",
}


def say(text: str, *, err: bool = True) -> None:
    """Print a line for people, on stderr or stdout; names of files and the like do nothing to their terminal."""
    typer.echo(shown(text, LONGEST), err=err)


def say_error(command: str, text: object) -> None:
    """Say what was wrong.

    Args:
        text: a sentence, or an error whose text is one; one of the system is put into words.
    """
    name = f"fanqi {command}" if command else "fanqi"
    say(f"{name}: error: {described(text) if isinstance(text, Exception) else text}")


def die(command: str, text: object, code: int = MISUSED) -> NoReturn:
    """End with `say_error`: with `MISUSED` for wrong usage, `FAILED` for what went wrong later."""
    say_error(command, text)
    raise typer.Exit(code)


def explain(error: Exception) -> tuple[str, str]:
    """A `UsageError` in one line.

    Returns:
        The command that was asked for, without ``fanqi``, and what was wrong with it.
    """
    context = getattr(error, "ctx", None)
    path = "fanqi" if context is None else str(context.command_path)
    text = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    return path.removeprefix("fanqi").strip(), reworded(text, f"see {path} --help")


def reworded(text: str, see: str) -> str:
    """A message of typer in the words that all errors here have; ``see`` says where to read on."""
    if found := BAD_VALUE.fullmatch(text):
        where = found["where"].replace("'", "")
        return f"{where}: {NUMBERS.get(found['what'], found['what'])}"
    if found := CHOICES.fullmatch(text):
        name = found["name"].strip("'")
        return f"{name} is missing;{found['choices'] or ''} {see}"
    if found := NO_OPTION.fullmatch(text):
        return f"there is no option {found['name']}{did_you_mean((found['like'] or '').split(', '))}; {see}"
    if found := NO_COMMAND.fullmatch(text):
        return f"there is no command {found['name']}{did_you_mean(QUOTED.findall(found['like']))}; {see}"
    if found := TOO_MANY.fullmatch(text):
        return f"{found['words']}: more than is expected; {see}"
    return text.removeprefix("Invalid value: ")


def did_you_mean(words: list[str]) -> str:
    """The end of a sentence that names what was perhaps meant; nothing where nothing is known."""
    known = [word for word in words if word]
    return f", did you mean {' or '.join(known)}" if known else ""
