"""What a worker and the processes that do its jobs say to each other over a pipe: length-prefixed msgpack.

Never on any network: both ends are of one installation, so there is no version.
"""

from __future__ import annotations

import struct
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from fanqi.mqtt.work import Line, Work

__all__ = [
    "Begin",
    "Broken",
    "End",
    "FromChild",
    "Halt",
    "News",
    "Prepare",
    "Prepared",
    "ToChild",
    "pack",
    "unpack_from",
]

LENGTH = struct.Struct(">I")
MAX_FRAME = 16 * 1024 * 1024


class Frame(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all."""


class Prepare(Frame, frozen=True, kw_only=True, tag="prepare"):
    """Load or compile the kernels of these games; answered by one `Prepared` or `Broken` each."""

    games: tuple[str, ...]


class Begin(Frame, frozen=True, kw_only=True, tag="begin"):
    """Run a job. ``engines`` maps the names that the worker's owner configured to command lines."""

    number: int
    work: Work
    threads: int = 1
    hash_mib: Annotated[int, Meta(ge=1)] = 16
    engines: dict[str, str] = {}


class Halt(Frame, frozen=True, kw_only=True, tag="halt"):
    """End a job as soon as possible; answered by its `End` or `Broken` like any other end."""

    number: int


class Prepared(Frame, frozen=True, kw_only=True, tag="prepared"):
    """A game is ready."""

    game: str
    seconds: float
    compiled: int


class News(Frame, frozen=True, kw_only=True, tag="news"):
    """How far the running job is."""

    number: int
    done: int = 0
    total: int = 0
    nodes: int = 0
    nps: int = 0
    line: Line | None = None


class End(Frame, frozen=True, kw_only=True, tag="end"):
    """The job's result, in msgpack."""

    number: int
    result: bytes
    nodes: int = 0


class Broken(Frame, frozen=True, kw_only=True, tag="broken"):
    """There is no result, or the game cannot be had. ``final``: it would be so on any worker."""

    number: int = 0
    game: str = ""
    reason: str
    final: bool = False


ToChild = Prepare | Begin | Halt
FromChild = Prepared | News | End | Broken

ENCODER = msgspec.msgpack.Encoder()


def pack(frame: Frame) -> bytes:
    """A frame as it goes into the pipe."""
    body = ENCODER.encode(frame)
    return LENGTH.pack(len(body)) + body


def unpack_from(buffer: bytearray) -> bytes | None:
    """Take the first whole frame's body off the front of a buffer; None while there is none.

    Raises:
        ValueError: it announces more than any frame has.
    """
    if len(buffer) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack_from(buffer)
    if length > MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes; at most {MAX_FRAME} are read")
    if len(buffer) < LENGTH.size + length:
        return None
    body = bytes(buffer[LENGTH.size : LENGTH.size + length])
    del buffer[: LENGTH.size + length]
    return body
