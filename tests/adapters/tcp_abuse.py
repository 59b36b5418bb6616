"""The figures a public server has to show, against a real one: `python tests/adapters/tcp_abuse.py`.

A thousand idle sessions and their memory; two hundred clients at once; a healthy client's latency while others drip
bytes, send lines without end and noise, and connect and vanish; memory afterwards.

Beside each latency stands that of an echo, a process that nobody abuses and that does nothing else: what it takes is
the machine's doing and not the server's. Where the system tells (Linux), ``worst_run_ms`` is the worst answer less
the time in which the server or this client was ready to run and waited for a processor.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import random
import re
import resource
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path


def rss_mib(pid: int) -> float:
    """Resident memory of a process."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def starved_ms(pid: int) -> float:
    """How long the main thread of a process has waited for a processor so far; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e6
    except OSError:
        return 0.0


class Client:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, port):
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**20))

    def send(self, *lines):
        self.writer.write("".join(f"{line}\n" for line in lines).encode())

    async def until(self, word):
        lines = []
        while True:
            line = (await self.reader.readline()).decode()
            if not line:
                raise EOFError(lines)
            lines.append(line.rstrip())
            if line.startswith(word):
                return lines

    def close(self):
        self.writer.transport.abort()


async def idle_sessions(port, pid, count):
    first = await Client.connect(port)
    first.send("uci", "isready", "position startpos", "go depth 1")
    await first.until("bestmove")
    await asyncio.sleep(0.5)
    before = rss_mib(pid)
    clients = [await Client.connect(port) for _ in range(count)]
    for client in clients:
        client.send("uci", "position startpos moves f5", "isready")
        await client.until("readyok")
    await asyncio.sleep(0.5)
    after = rss_mib(pid)
    for client in [first, *clients]:
        client.close()
    return {"sessions": count, "rss_mib": round(after), "added_mib": round(after - before, 1)}


async def crowd(port, count):
    from fanqi.game import load_game

    legal = set(load_game("othello").start().legal_moves())
    clients = [await Client.connect(port) for _ in range(count)]
    for client in clients:
        client.send("position startpos", "isready")
        await client.until("readyok")

    async def one(client):
        client.send("go movetime 100")
        lines = await client.until("bestmove")
        client.send("isready")
        rest = await client.until("readyok")
        waited = [line for line in lines if "waited" in line]
        moves = [line.split()[1] for line in [*lines, *rest] if line.startswith("bestmove")]
        return len(moves) == 1 and moves[0] in legal, bool(waited)

    started = time.monotonic()
    answers = await asyncio.gather(*(one(client) for client in clients))
    for client in clients:
        client.close()
    return {
        "clients": count,
        "seconds": round(time.monotonic() - started, 2),
        "one_legal_bestmove": sum(good for good, _ in answers),
        "told_their_wait": sum(waited for _, waited in answers),
    }


class Echo:
    """A process that sends back what it gets, and a connection to it."""

    def __init__(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        multiprocessing.Process(target=self.serve, args=(listener,), daemon=True).start()

    @staticmethod
    def serve(listener):
        while True:
            connection, _ = listener.accept()
            while data := connection.recv(100):
                connection.sendall(data)


async def latencies(port, echo, pid, seconds):
    """How long a healthy client waits for its answers, and how long for an echo, one after the other.

    Each is a pair: milliseconds, and how many of them the server and this client waited for a processor.
    """
    server, mirror = await Client.connect(port), await Client.connect(echo.port)
    server.send("isready")
    await server.until("readyok")
    answers, echoes = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for client, question, answer, found in (
            (server, "query p1turn", "response", answers),
            (mirror, "echo", "echo", echoes),
        ):
            starved = starved_ms(pid) + starved_ms(os.getpid())
            begun = time.monotonic()
            client.send(question)
            await client.until(answer)
            taken = (time.monotonic() - begun) * 1000
            found.append((taken, starved_ms(pid) + starved_ms(os.getpid()) - starved))
            await asyncio.sleep(0.005)
    server.close()
    mirror.close()
    return answers, echoes


def summary(answers, echoes):
    running = max(taken - starved for taken, starved in answers)
    answers, echoes = sorted(taken for taken, _ in answers), sorted(taken for taken, _ in echoes)
    return {
        "answers": len(answers),
        "median_ms": round(statistics.median(answers), 2),
        "p99_ms": round(answers[int(len(answers) * 0.99)], 2),
        "worst_ms": round(answers[-1], 2),
        "worst_run_ms": round(running, 2),
        "echo_p99_ms": round(echoes[int(len(echoes) * 0.99)], 2),
        "echo_worst_ms": round(echoes[-1], 2),
    }


async def vanish(port, count):
    for number in range(count):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        if number % 2:
            writer.write(b"uci\nposition startpos\ngo infinite\n")
        writer.transport.abort()


async def drip(port, count):
    """A byte now and then on many connections, until the server has had enough of all of them."""
    clients = [await Client.connect(port) for _ in range(count)]
    while clients:
        for client in clients:
            client.writer.write(b"x")
        await asyncio.sleep(0.5)
        clients = [client for client in clients if not client.reader.at_eof() and not client.writer.is_closing()]


async def long_line(port, size):
    client = await Client.connect(port)
    chunk = b"x" * 2**20
    for _ in range(size // len(chunk)):
        client.writer.write(chunk)
        await client.writer.drain()
    client.send("", "isready")
    await client.until("readyok")


async def noise(port, size):
    client = await Client.connect(port)
    reading = asyncio.create_task(client.reader.read())
    dice = random.Random(1)
    for _ in range(size // 10_000):
        client.writer.write(dice.randbytes(10_000))
        await client.writer.drain()
    client.close()
    reading.cancel()


def run(function, *arguments):
    """An attacker's process."""
    asyncio.run(function(*arguments))


def abuse(port, echo, pid, what):
    """Latency of a healthy client while something happens in another process."""
    attacker = multiprocessing.Process(target=run, args=what, daemon=True)
    attacker.start()
    time.sleep(0.3)

    async def watch():
        answers, echoes = [], []
        for _ in range(30):
            for all_, some in zip((answers, echoes), await latencies(port, echo, pid, 2.0), strict=True):
                all_ += some
            if not attacker.is_alive():
                break
        return answers, echoes

    found = asyncio.run(watch())
    finished = not attacker.is_alive()
    attacker.kill()
    attacker.join()
    return {"finished": finished} | summary(*found) | {"rss_mib": round(rss_mib(pid))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes")
    scale = parser.parse_args().scale
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    server = subprocess.Popen(
        [sys.executable, "-m", "fanqi.cli", "serve", "--port", "0", "--max-sessions", "2000", "--max-searches", "2"],
        stderr=subprocess.PIPE,
        text=True,
    )
    port = None
    for line in server.stderr:
        if '"listening"' in line:
            port = json.loads(line)["port"]
        if '"game": "banqi"' in line and '"loaded"' in line:
            break
    drain = multiprocessing.Process(target=lambda: [None for _ in server.stderr], daemon=True)
    drain.start()
    echo = Echo()
    gc.freeze()  # the clock of a client that collects its garbage shows the wrong time
    try:
        say("idle", asyncio.run(idle_sessions(port, server.pid, int(1000 * scale))))
        say("crowd", asyncio.run(crowd(port, int(200 * scale))))
        time.sleep(1)
        say(
            "quiet",
            summary(*asyncio.run(latencies(port, echo, server.pid, 3.0))) | {"rss_mib": round(rss_mib(server.pid))},
        )
        say("slow loris, 500 connections", abuse(port, echo, server.pid, (drip, port, int(500 * scale))))
        say("a line of 1 GiB", abuse(port, echo, server.pid, (long_line, port, int(2**30 * scale))))
        say("noise, 50 MB", abuse(port, echo, server.pid, (noise, port, int(50e6 * scale))))
        say("connect and vanish, 10,000", abuse(port, echo, server.pid, (vanish, port, int(10_000 * scale))))
        time.sleep(2)
        say(
            "afterwards",
            summary(*asyncio.run(latencies(port, echo, server.pid, 3.0))) | {"rss_mib": round(rss_mib(server.pid))},
        )
    finally:
        server.terminate()
        server.wait(30)


def say(name, figures):
    print(name, json.dumps(figures), f"load {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
