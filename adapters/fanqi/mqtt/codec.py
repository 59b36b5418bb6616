"""Between payloads and messages: msgpack, a version, size limits. Pure functions.

A payload to or from a worker is an envelope: ``{"v": 1, "sent": ms, "messages": [...]}``. Each message is
decoded on its own, so that one bad message does not take the others with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

from fanqi.mqtt.errors import PayloadError, VersionError
from fanqi.mqtt.messages import Presence, ToDispatcher, ToWorker
from fanqi.mqtt.work import Result, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "MAX_MESSAGES",
    "MAX_TO_DISPATCHER",
    "MAX_TO_WORKER",
    "SCHEMA_VERSION",
    "Envelope",
    "Malformed",
    "decode_presence",
    "decode_result",
    "decode_to_dispatcher",
    "decode_to_worker",
    "decode_work",
    "encode",
    "encode_envelopes",
]

SCHEMA_VERSION = 1
SUPPORTED = (SCHEMA_VERSION,)
MAX_TO_WORKER = 256 * 1024
MAX_TO_DISPATCHER = 6 * 1024 * 1024
MAX_PRESENCE = 256 * 1024
MAX_MESSAGES = 1000

M = TypeVar("M")


class Version(Struct):
    v: int


class Packed(Struct):
    v: int
    sent: int
    messages: list[Raw]


class JobOnly(Struct):
    job: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that could not be read, and the job it was about if that much could."""

    reason: str
    job: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Envelope(Generic[M]):
    """Messages that travelled together, in order."""

    sent: int
    messages: tuple[M | Malformed, ...]


ENCODER = msgspec.msgpack.Encoder()
VERSION = msgspec.msgpack.Decoder(Version)
PACKED = msgspec.msgpack.Decoder(Packed)
JOB_ONLY = msgspec.msgpack.Decoder(JobOnly)
TO_WORKER = msgspec.msgpack.Decoder(ToWorker)
TO_DISPATCHER = msgspec.msgpack.Decoder(ToDispatcher)
PRESENCE = msgspec.msgpack.Decoder(Presence)
WORK = msgspec.msgpack.Decoder(Work)
RESULT = msgspec.msgpack.Decoder(Result)


def encode(value: Struct) -> bytes:
    """The bytes of one struct."""
    return ENCODER.encode(value)


def encode_envelopes(messages: Sequence[Struct], sent: int, limit: int) -> list[bytes]:
    """Pack messages in as few payloads of at most ``limit`` bytes as their order allows.

    Raises:
        PayloadError: one message alone is larger than that.
    """
    payloads: list[bytes] = []
    batch: list[Raw] = []
    size = 0
    for message in messages:
        packed = ENCODER.encode(message)
        if len(packed) > limit - 64:
            raise PayloadError(f"a message of {len(packed):,} bytes; at most {limit - 64:,} are sent")
        if batch and (size + len(packed) > limit - 64 or len(batch) >= MAX_MESSAGES):
            payloads.append(ENCODER.encode(Packed(SCHEMA_VERSION, sent, batch)))
            batch, size = [], 0
        batch.append(Raw(packed))
        size += len(packed)
    if batch:
        payloads.append(ENCODER.encode(Packed(SCHEMA_VERSION, sent, batch)))
    return payloads


def decode_to_worker(payload: bytes) -> Envelope[ToWorker]:
    """Read what a dispatcher sent.

    Raises:
        VersionError: it is of another schema version.
        PayloadError: it is not an envelope.
    """
    return unpack(payload, MAX_TO_WORKER, TO_WORKER)


def decode_to_dispatcher(payload: bytes) -> Envelope[ToDispatcher]:
    """Read what a worker sent. Raises as `decode_to_worker`."""
    return unpack(payload, MAX_TO_DISPATCHER, TO_DISPATCHER)


def decode_presence(payload: bytes) -> Presence:
    """Read a presence. Raises as `decode_to_worker`."""
    check(payload, MAX_PRESENCE)
    return decode(PRESENCE, payload)


def decode_work(raw: Raw | bytes) -> Work:
    """Read the work of an `Assign`.

    Raises:
        PayloadError: unknown kind, a field missing or out of its range.
    """
    return decode(WORK, raw)


def decode_result(raw: Raw | bytes) -> Result:
    """Read the result of a `Finished`. Raises as `decode_work`."""
    return decode(RESULT, raw)


def check(payload: bytes, limit: int) -> None:
    if len(payload) > limit:
        raise PayloadError(f"a payload of {len(payload):,} bytes; at most {limit:,} are read")
    version = decode(VERSION, payload).v
    if version not in SUPPORTED:
        raise VersionError(version, SUPPORTED)


def decode(decoder: msgspec.msgpack.Decoder[M], data: bytes | Raw) -> M:
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise PayloadError(str(error) or type(error).__name__) from None


def unpack(payload: bytes, limit: int, decoder: msgspec.msgpack.Decoder[Any]) -> Envelope[Any]:
    check(payload, limit)
    packed = decode(PACKED, payload)
    if len(packed.messages) > MAX_MESSAGES:
        raise PayloadError(f"{len(packed.messages):,} messages in one payload; at most {MAX_MESSAGES:,} are read")
    return Envelope(packed.sent, tuple(decode_each(packed.messages, decoder)))


def decode_each(messages: Iterable[Raw], decoder: msgspec.msgpack.Decoder[Any]) -> Iterable[Any]:
    for raw in messages:
        try:
            yield decode(decoder, raw)
        except PayloadError as error:
            try:
                known = decode(JOB_ONLY, raw)
            except PayloadError:
                yield Malformed(error.reason)
            else:
                yield Malformed(error.reason, known.job[:80], known.attempt)
