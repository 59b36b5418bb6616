"""Metrics as text, and the server that gives them out."""

from __future__ import annotations

import asyncio
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.metrics import Family, Health, Histogram, counter, gauge, render, serve_metrics

SAMPLE = re.compile(
    r'[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[a-zA-Z_][a-zA-Z0-9_]*="((?:[^"\\\n]|\\["\\n])*)"(?:,[a-zA-Z_][a-zA-Z0-9_]*='
    r'"(?:[^"\\\n]|\\["\\n])*")*\})? (?:[-+]?[0-9.e+-]+|[-+]Inf)'
)


def test_counters_and_gauges_are_written_as_prometheus_reads_them():
    text = render([counter("a_total", "Things.", {"x": 3, "y": 0.5}, "kind"), gauge("b", "More\nthings.", -2)])
    assert text == (
        '# HELP a_total Things.\n# TYPE a_total counter\na_total{kind="x"} 3\na_total{kind="y"} 0.5\n'
        "# HELP b More\\nthings.\n# TYPE b gauge\nb -2\n"
    )


def test_a_histogram_counts_up_to_its_bounds():
    histogram = Histogram((1.0, 10.0))
    for value in (0.5, 1.0, 1.1, 99.0):
        histogram.observe(value)
    assert render([histogram.family("h", "H.")]).splitlines()[2:] == [
        'h_bucket{le="1"} 2',
        'h_bucket{le="10"} 3',
        'h_bucket{le="+Inf"} 4',
        "h_sum 101.6",
        "h_count 4",
    ]


@given(st.text(), st.floats(allow_nan=False))
def test_any_label_and_any_number_give_one_good_line(label, value):
    lines = render([gauge("g", "G.", {label: value}, "l")]).removesuffix("\n").split("\n")
    assert len(lines) == 3
    found = SAMPLE.fullmatch(lines[2])
    assert found
    assert re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], found[1]) == label
    shown = lines[2].rpartition(" ")[2]
    assert float(shown.replace("Inf", "inf")) == pytest.approx(value) or math.isinf(value)


@pytest.mark.parametrize("name", ["", "1a", "a-b", "ä"])
def test_names_that_prometheus_would_not_take_are_refused(name):
    with pytest.raises(ValueError, match="metric name"):
        Family(name, "gauge", "x")
    with pytest.raises(ValueError, match="label"):
        Family("a", "gauge", "x", (("", {name: "v"}, 1.0),))


async def ask(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


def test_the_server_answers_what_it_knows_and_refuses_the_rest():
    async def scenario():
        state = Health(True)
        async with serve_metrics("127.0.0.1", 0, lambda: [gauge("g", "G.", 7)], lambda: state) as port:
            good = await ask(port, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            assert good.startswith(b"HTTP/1.1 200 OK\r\n")
            assert good.endswith(b"\ng 7\n")
            assert b"200 OK" in await ask(port, b"GET /healthz?x=1 HTTP/1.1\r\n\r\n")
            state = Health(False, "no broker")
            sick = await ask(port, b"GET /healthz HTTP/1.1\r\n\r\n")
            assert b"503" in sick
            assert sick.endswith(b"no broker\n")
            assert b"404" in await ask(port, b"GET / HTTP/1.1\r\n\r\n")
            assert b"405" in await ask(port, b"POST /metrics HTTP/1.1\r\n\r\n")
            head = await ask(port, b"HEAD /metrics HTTP/1.1\r\n\r\n")
            assert head.endswith(b"\r\n\r\n")
            assert await ask(port, b"x" * 20_000) == b""
            assert b"200 OK" in await ask(port, b"GET /metrics HTTP/1.1\r\n\r\n")

    asyncio.run(scenario())


def test_many_silent_connections_do_not_keep_the_server_from_answering_afterwards():
    async def scenario():
        async with serve_metrics("127.0.0.1", 0, list, lambda: Health(True)) as port:
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
            await asyncio.sleep(0.1)
            for _, writer in silent:
                writer.close()
            await asyncio.sleep(0.1)
            assert b"200 OK" in await ask(port, b"GET /healthz HTTP/1.1\r\n\r\n")

    asyncio.run(scenario())
