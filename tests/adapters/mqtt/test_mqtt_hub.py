"""The broker inside the process."""

from __future__ import annotations

import asyncio

import pytest

from fanqi.mqtt import Connected, Endpoint, Hub, Incoming, Outgoing
from fanqi.mqtt.memory import topic_matches


@pytest.mark.parametrize(
    ("pattern", "topic", "matches"),
    [
        ("a/b", "a/b", True),
        ("a/+", "a/b", True),
        ("a/+", "a/b/c", False),
        ("a/#", "a/b/c", True),
        ("#", "a", True),
        ("+/b", "a/b", True),
        ("+", "a/b", False),
        ("a/b/c", "a/b", False),
        ("a/+/c", "a/x/c", True),
    ],
)
def test_filters_match_as_in_mqtt(pattern, topic, matches):
    assert topic_matches(pattern, topic) is matches


def test_retained_messages_and_wills_are_kept_and_sent():
    async def scenario():
        hub = Hub()
        async with hub.open(Endpoint("one", ("x/+",), will="x/one")) as one:
            assert await one.receive(0) == [Connected()]
            one.publish(Outgoing("x/one", b"here", retain=True))
            one.publish(Outgoing("x/two", b"passing"))
            async with hub.open(Endpoint("two", ("x/one",))) as two:
                assert await two.receive(0) == [Connected(), Incoming("x/one", b"here")]
                hub.vanish("one")
                assert await two.receive(0) == [Incoming("x/one", b"")]
            async with hub.open(Endpoint("three", ("x/one",))) as three:
                assert await three.receive(0) == [Connected()]

    asyncio.run(scenario())


def test_receive_waits_for_a_message_a_nudge_or_the_time():
    async def scenario():
        hub = Hub()
        async with hub.open(Endpoint("one", ("x",))) as link:
            await link.receive(0)
            asyncio.get_running_loop().call_later(0.01, link.nudge)
            assert await link.receive(10) == []
            asyncio.get_running_loop().call_later(0.01, link.publish, Outgoing("x", b"1"))
            assert await link.receive(10) == [Incoming("x", b"1")]
            assert await link.receive(0.01) == []

    asyncio.run(scenario())
