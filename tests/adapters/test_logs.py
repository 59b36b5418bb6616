"""Logging: JSON to a file, lines for people to a terminal, nothing below the level."""

from __future__ import annotations

import io
import json
import subprocess
import sys

from fanqi.logs import Logger


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_events_are_json_lines_where_nobody_watches():
    stream = io.StringIO()
    Logger("info", stream).bind(peer="a:1").info("connected", number=3)
    event = json.loads(stream.getvalue())
    assert (event["event"], event["level"], event["peer"], event["number"]) == ("connected", "info", "a:1", 3)
    assert "timestamp" in event


def test_events_are_lines_for_people_on_a_terminal():
    stream = Terminal()
    Logger("info", stream).info("connected", peer="a:1")
    assert "connected" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_what_others_have_sent_does_nothing_to_the_terminal():
    stream = Terminal()
    Logger("info", stream).info("talk", text="\x1b[2J\x9b31m\x7f", count=1)
    assert r"\x1b[2J\x9b31m\x7f" in stream.getvalue()


def test_json_lines_have_no_character_that_a_terminal_obeys():
    stream = io.StringIO()
    Logger("info", stream).info("talk", text="\x1b[2J\x9b31m\x7f")
    assert stream.getvalue().rstrip("\n").isprintable()
    assert json.loads(stream.getvalue())["text"] == "\x1b[2J\x9b31m\x7f"


def test_events_below_the_level_are_dropped():
    stream = io.StringIO()
    logger = Logger("warning", stream)
    logger.debug("a")
    logger.info("b")
    assert stream.getvalue() == ""
    assert logger.logs("error")
    assert not logger.logs("info")


def test_an_error_comes_with_its_traceback_on_one_line():
    stream = io.StringIO()
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as error:
        Logger("error", stream).error("fault", error)
    (line,) = stream.getvalue().splitlines()
    assert json.loads(line)["exception"][0]["exc_type"] == "ZeroDivisionError"


def test_nothing_is_imported_before_something_is_logged():
    code = "import sys; from fanqi.logs import Logger; Logger().info('x'); print('structlog' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
