"""Payloads: what is written can be read, and whatever else is read ends in one kind of error."""

from __future__ import annotations

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.mqtt import PayloadError, VersionError
from fanqi.mqtt.codec import (
    MAX_MESSAGES,
    MAX_TO_WORKER,
    Malformed,
    decode_presence,
    decode_result,
    decode_to_dispatcher,
    decode_to_worker,
    decode_work,
    encode,
    encode_envelopes,
)
from fanqi.mqtt.messages import (
    Accepted,
    Assign,
    Busy,
    Cancel,
    Drift,
    Failed,
    Finished,
    Held,
    Holding,
    Presence,
    Progress,
    Refused,
    Returned,
    Started,
    Unsupported,
)
from fanqi.mqtt.work import (
    Analyse,
    AnalyseResult,
    Game,
    GameResult,
    Line,
    Ping,
    PingResult,
    Play,
    Player,
    PlayResult,
    PositionSpec,
    ReviewedMove,
    SearchLimits,
    Selfplay,
    SelfplayResult,
    kind_of,
)

texts = st.text(max_size=16)
names = st.text(min_size=1, max_size=16)
counts = st.integers(0, 2**62)
small = st.integers(1, 100)
moves = st.lists(st.text(min_size=1, max_size=8), max_size=5).map(tuple)
lines = st.builds(
    Line,
    depth=st.integers(0, 99),
    selectivity=st.none() | st.integers(0, 100),
    score_cp=st.none() | st.integers(-6400, 6400),
    bound=st.sampled_from(["", "lowerbound", "upperbound"]),
    wdl=st.none() | st.tuples(counts, counts, counts),
    nodes=counts,
    pv=moves,
)
positions = st.builds(PositionSpec, game=names, fen=texts, moves=moves, rules=texts)
limits = st.builds(
    SearchLimits,
    depth=st.none() | small,
    nodes=st.none() | small,
    movetime_ms=st.none() | small,
    solve=st.sampled_from([None, "score", "wdl"]),
)
players = st.builds(Player, name=names, engine=names, options=st.dictionaries(texts, texts, max_size=3))
works = st.one_of(
    st.builds(Analyse, position=positions, limits=limits, multipv=small),
    st.builds(Game, position=positions, limits=limits),
    st.builds(Play, game=names, players=st.tuples(players, players), settings=st.binary(max_size=50)),
    st.builds(Selfplay, game=names, games=small, seed=counts, depth=st.integers(1, 24), rules=texts),
    st.builds(Ping, text=texts),
)
results = st.one_of(
    st.builds(AnalyseResult, move=st.none() | names, lines=st.lists(lines, max_size=3).map(tuple)),
    st.builds(
        GameResult,
        moves=st.lists(
            st.builds(ReviewedMove, ply=counts, move=names, best=st.none() | names, line=st.none() | lines), max_size=3
        ).map(tuple),
    ),
    st.builds(PlayResult, records=st.tuples(st.binary(max_size=20), st.binary(max_size=20))),
    st.builds(SelfplayResult, games=counts, positions=counts, records=st.binary(max_size=20)),
    st.builds(PingResult, text=texts),
)
raws = st.binary(max_size=10).map(lambda data: msgspec.Raw(msgspec.msgpack.encode(data)))
seconds = st.floats(0, 1e6)
to_worker = st.one_of(
    st.builds(
        Assign, job=names, attempt=small, expires=counts, lease_s=seconds, threads=small, hash_mib=small, work=raws
    ),
    st.builds(Cancel, job=names),
    st.builds(Unsupported, reason=texts),
)
to_dispatcher = st.one_of(
    st.builds(Accepted, job=names, attempt=small),
    st.builds(Started, job=names, attempt=small),
    st.builds(Progress, job=names, attempt=small, done=counts, nodes=counts, line=st.none() | lines),
    st.builds(Finished, job=names, attempt=small, seconds=seconds, nodes=counts, result=raws),
    st.builds(Failed, job=names, attempt=small, reason=texts, final=st.booleans()),
    st.builds(Refused, job=names, attempt=small, why=st.sampled_from(["busy", "unable"]), reason=texts),
    st.builds(Returned, job=names, attempt=small, reason=texts),
    st.builds(
        Holding,
        jobs=st.lists(st.builds(Held, job=names, attempt=small, running=st.booleans()), max_size=3).map(tuple),
    ),
    st.builds(Unsupported, reason=texts),
)
presences = st.builds(
    Presence,
    v=st.just(1),
    sent=counts,
    incarnation=names,
    state=st.sampled_from(["ready", "closed", "leaving"]),
    kinds=st.lists(texts, max_size=3).map(tuple),
    threads=small,
    credit=small,
    running=st.lists(st.builds(Busy, dispatcher=names, job=names, kind=texts, seconds=seconds), max_size=2).map(tuple),
)


@given(works)
def test_other_peoples_msgpack_reads_and_writes_the_same_bytes(work):
    packed = encode(work)
    assert msgpack.packb(msgpack.unpackb(packed)) == packed


@given(works)
def test_work_comes_back_as_it_was(work):
    assert decode_work(encode(work)) == work


@given(results)
def test_a_result_comes_back_as_it_was(result):
    assert decode_result(encode(result)) == result


@given(presences)
def test_a_presence_comes_back_as_it_was(presence):
    assert decode_presence(encode(presence)) == presence


@given(st.lists(to_worker, max_size=6), counts)
def test_messages_to_a_worker_come_back_in_order(messages, sent):
    payloads = encode_envelopes(messages, sent, 1000)
    envelopes = [decode_to_worker(payload) for payload in payloads]
    assert [message for envelope in envelopes for message in envelope.messages] == messages
    assert all(envelope.sent == sent for envelope in envelopes)
    assert all(len(payload) <= 1000 for payload in payloads)


@given(st.lists(to_dispatcher, max_size=6), counts)
def test_messages_to_a_dispatcher_come_back_in_order(messages, sent):
    payloads = encode_envelopes(messages, sent, 2000)
    assert [m for payload in payloads for m in decode_to_dispatcher(payload).messages] == messages


def test_many_messages_are_spread_over_payloads():
    messages = [Cancel(job=f"d-{number}") for number in range(2 * MAX_MESSAGES + 1)]
    payloads = encode_envelopes(messages, 1, MAX_TO_WORKER)
    assert [len(decode_to_worker(payload).messages) for payload in payloads] == [MAX_MESSAGES, MAX_MESSAGES, 1]


def test_a_message_too_large_for_any_payload_is_an_error():
    with pytest.raises(PayloadError, match="at most"):
        encode_envelopes([Unsupported(reason="x" * 900)], 1, 500)


def test_unknown_fields_are_ignored():
    payload = msgspec.msgpack.encode(
        {"v": 1, "sent": 5, "colour": "red", "messages": [{"type": "cancel", "job": "d-1", "urgency": [1, {"a": 2}]}]}
    )
    assert decode_to_worker(payload).messages == (Cancel(job="d-1"),)


def test_an_unknown_version_is_refused_by_its_number_whatever_else_is_in_it():
    payload = msgspec.msgpack.encode({"v": 7, "everything": "else"})
    for decode in (decode_to_worker, decode_to_dispatcher, decode_presence):
        with pytest.raises(VersionError, match="schema version 7; this side reads version 1") as caught:
            decode(payload)
        assert caught.value.got == 7


def test_a_bad_message_does_not_take_the_good_ones_with_it():
    good = msgspec.to_builtins(Cancel(job="d-2"))
    bad = {"type": "assign", "job": "d-1", "attempt": 3, "expires": -4}
    strange = {"type": "explode"}
    payload = msgspec.msgpack.encode({"v": 1, "sent": 0, "messages": [bad, 7, good, strange]})
    first, second, third, fourth = decode_to_worker(payload).messages
    assert isinstance(first, Malformed)
    assert (first.job, first.attempt) == ("d-1", 3)
    assert isinstance(second, Malformed)
    assert second.job is None
    assert third == Cancel(job="d-2")
    assert isinstance(fourth, Malformed)
    assert "explode" in fourth.reason


@pytest.mark.parametrize(
    "work",
    [
        {"type": "analyse", "position": {"game": "othello"}, "limits": {"depth": 0}},
        {"type": "analyse", "position": {"game": "othello"}, "limits": {"movetime_ms": 2**40}},
        {"type": "analyse", "position": {"game": "othello", "fen": "x" * 600}, "limits": {"depth": 1}},
        {"type": "analyse", "position": {"game": "othello", "moves": ["f5"] * 2001}, "limits": {"depth": 1}},
        {"type": "analyse", "position": {"game": "othello"}, "limits": {"depth": 1}, "multipv": 501},
        {"type": "selfplay", "game": "othello", "games": 10**9, "seed": 1, "depth": 4},
        {"type": "shell", "command": "rm -rf /"},
        {"limits": {}},
    ],
)
def test_work_out_of_the_wires_bounds_is_refused(work):
    with pytest.raises(PayloadError):
        decode_work(msgspec.msgpack.encode(work))


@given(st.binary(max_size=300))
def test_random_bytes_end_in_one_kind_of_error(data):
    for decode in (decode_to_worker, decode_to_dispatcher, decode_presence, decode_work, decode_result):
        with pytest.raises(PayloadError):
            decode(data)


@given(st.lists(to_dispatcher, min_size=1, max_size=4), st.data())
def test_corrupted_payloads_end_in_one_kind_of_error_or_in_messages(messages, data):
    payload = bytearray(encode_envelopes(messages, 1, 10_000)[0])
    for _ in range(data.draw(st.integers(1, 4))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        envelope = decode_to_dispatcher(bytes(payload[: data.draw(st.integers(0, len(payload)))]))
    except PayloadError:
        return
    assert isinstance(envelope.messages, tuple)


@pytest.mark.parametrize("opening", [b"\x91", b"\x81\xa1a", b"\xdd\x00\x00\x00\x01"])
def test_nesting_without_end_is_refused(opening):
    for decode in (decode_to_worker, decode_work):
        with pytest.raises(PayloadError):
            decode(opening * 100_000 + b"\xc0")


def test_a_payload_too_large_is_refused_before_it_is_looked_at():
    with pytest.raises(PayloadError, match="at most 262,144 are read"):
        decode_to_worker(b"\xc1" * (MAX_TO_WORKER + 1))


def test_a_list_that_announces_more_than_there_is_costs_no_memory():
    with pytest.raises(PayloadError):
        decode_to_worker(b"\x83\xa1v\x01\xa4sent\x01\xa8messages\xdd\xff\xff\xff\xff")


def test_the_kind_of_work_and_of_its_result_is_the_same_word():
    assert [kind_of(Ping()), kind_of(PingResult())] == ["ping", "ping"]


def test_a_peers_clock_is_learned_from_its_quickest_message():
    drift = Drift()
    for sent, now in ((0, 5000), (100, 3100), (200, 9000)):
        drift.learn(sent, now)
    assert drift.ours(1000) == 4000
