"""The link over real brokers: mosquitto in several settings, and the embedded one."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mosquitto import free_port

from fanqi.mqtt import (
    Connected,
    Disconnected,
    Endpoint,
    Incoming,
    LinkError,
    Outgoing,
    complete_address,
    parse_broker,
)
from fanqi.mqtt.client import Broker, backoff

DOCUMENT = Path(__file__).parents[3] / "docs" / "workers.md"


def documented(name: str) -> str:
    """A configuration from the document."""
    return re.search(rf"```conf {name}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[1]


def without_listener(text: str) -> str:
    return re.sub(r"^listener .*\n", "", text, flags=re.MULTILINE)


async def until(link, wanted, seconds=10.0):
    """All events up to the first one of a kind, or equal to an event."""
    events = []
    async with asyncio.timeout(seconds):
        while True:
            for event in await link.receive(1.0):
                events.append(event)
                if event == wanted or (isinstance(wanted, type) and isinstance(event, wanted)):
                    return events


def test_a_bug_in_keeping_the_connection_reaches_whoever_receives(monkeypatch):
    def client(link):
        raise ValueError("a bug")

    monkeypatch.setattr("fanqi.mqtt.client.BrokerLink._client", client)

    async def scenario():
        async with Broker(parse_broker("mqtt://127.0.0.1:1")).open(Endpoint("a", ("x",))) as link:
            async with asyncio.timeout(10):
                await link.receive()

    with pytest.raises(ValueError, match="a bug"):
        asyncio.run(scenario())


def test_a_message_that_cannot_be_sent_at_all_reaches_whoever_receives(mosquitto):
    async def scenario():
        async with Broker(parse_broker(mosquitto().address)).open(Endpoint("a", ("x",))) as link:
            assert await until(link, Connected) == [Connected()]
            link.publish(Outgoing("every/+", b""))
            async with asyncio.timeout(10):
                await link.receive()

    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(scenario())
    assert raised.group_contains(ValueError)


def test_messages_go_there_and_back_in_order(mosquitto):
    async def scenario():
        network = Broker(parse_broker(mosquitto().address))
        async with network.open(Endpoint("a", ("x/+",))) as link:
            assert await until(link, Connected) == [Connected()]
            for number in range(500):
                link.publish(Outgoing("x/y", str(number).encode()))
            assert await link.flush(10)
            events = await until(link, Incoming("x/y", b"499"))
            assert [event.payload for event in events] == [str(number).encode() for number in range(500)]

    asyncio.run(scenario())


def test_what_was_not_acknowledged_is_published_again_after_a_restart(mosquitto):
    broker = mosquitto()

    async def scenario():
        network = Broker(parse_broker(broker.address), seed=1)
        async with network.open(Endpoint("a", ("x",))) as link:
            await until(link, Connected)
            broker.kill()
            await until(link, Disconnected)
            link.publish(Outgoing("x", b"sure"))
            link.publish(Outgoing("x", b"not sure", sure=False))
            link.publish(Outgoing("r", b"old", retain=True))
            link.publish(Outgoing("r", b"new", retain=True))
            assert not await link.flush(0.1)
            broker.start()
            events = await until(link, Incoming("x", b"sure"), 40.0)
            assert Connected() in events
            assert await link.flush(10)
            assert Incoming("x", b"not sure") not in events
            async with network.open(Endpoint("b", ("r",))) as other:
                assert await until(other, Incoming) == [Connected(), Incoming("r", b"new")]

    asyncio.run(scenario())


def test_a_will_is_published_when_a_process_dies_and_not_when_it_leaves(mosquitto):
    broker = mosquitto()
    script = (
        "import asyncio, sys\n"
        "from fanqi.mqtt import Endpoint, Outgoing, parse_broker\n"
        "from fanqi.mqtt.client import Broker\n"
        "async def main():\n"
        "    async with Broker(parse_broker(sys.argv[1])).open(Endpoint('dying', (), will='w')) as link:\n"
        "        link.publish(Outgoing('w', b'alive', retain=True))\n"
        "        await asyncio.sleep(60 if sys.argv[2] == 'die' else 0.5)\n"
        "asyncio.run(main())\n"
    )

    async def scenario():
        network = Broker(parse_broker(broker.address))
        async with network.open(Endpoint("watcher", ("w",))) as link:
            await until(link, Connected)
            dying = await asyncio.create_subprocess_exec(sys.executable, "-c", script, broker.address, "die")
            await until(link, Incoming("w", b"alive"), 20.0)
            dying.kill()
            await until(link, Incoming("w", b""))
            await dying.wait()
            leaving = await asyncio.create_subprocess_exec(sys.executable, "-c", script, broker.address, "leave")
            await until(link, Incoming("w", b"alive"), 20.0)
            await leaving.wait()
            assert await link.receive(0.5) == []

    asyncio.run(scenario())


def test_a_broker_that_is_not_there_is_reported_and_tried_again():
    async def scenario():
        async with Broker(parse_broker(f"mqtt://127.0.0.1:{free_port()}")).open(Endpoint("a", ())) as link:
            events = await until(link, Disconnected)
            assert "refused" in events[0].reason.lower()
            assert 0.1 <= events[0].retry_s <= 0.4
            assert len(await until(link, Disconnected)) == 1

    asyncio.run(scenario())


def test_waits_grow_and_are_spread():
    waits = [0.1]
    for _ in range(20):
        waits.append(backoff(waits[-1], lambda low, high: high))
    assert waits[1:4] == pytest.approx([0.4, 1.6, 6.4])
    assert max(waits) == 30.0
    assert backoff(5.0, lambda low, high: low) == 0.1


def passwords(folder: Path) -> Path:
    """A password file with the users attic, cellar and club; the password is the name twice."""
    path = folder / "fanqi.passwd"
    path.touch(mode=0o600)
    for name in ("attic", "cellar", "club"):
        subprocess.run(["mosquitto_passwd", "-b", str(path), name, name * 2], check=True)
    return path


def login(address: str, name: str, password: str, folder: Path, **rest):
    path = folder / f"password-{password}"
    path.write_text(password + "\n")
    path.chmod(0o600)
    return complete_address(address, user=name, password_file=path, **rest)


def settings(folder: Path, name: str) -> str:
    text = without_listener(documented(name)).replace("/etc/mosquitto/fanqi.passwd", str(passwords(folder)))
    return text.replace("max_packet_size 8388608\n", "")


def test_the_documented_password_broker_takes_the_right_password_and_no_other(mosquitto, tmp_path):
    folder = tmp_path / "etc"
    folder.mkdir()
    broker = mosquitto(settings(folder, "passwords"))

    async def scenario():
        async with Broker(login(broker.address, "attic", "atticattic", folder)).open(Endpoint("a", ())) as link:
            await until(link, Connected)
        for address in (login(broker.address, "attic", "wrong", folder), parse_broker(broker.address)):
            async with Broker(address).open(Endpoint("b", ())) as link:
                with pytest.raises(LinkError, match=r"(?i)not authorized|user name or password"):
                    await until(link, Connected)

    asyncio.run(scenario())


def certificates(folder: Path) -> None:
    """An authority ``ca.pem`` and a certificate ``server.pem`` of it for localhost."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    subject = ("-subj", "/CN=fanqi test", "-nodes", "-newkey", "rsa:2048")
    openssl("req", "-x509", *subject, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2")
    openssl("req", *subject, "-keyout", "server.key", "-out", "server.csr")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", *signing)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
# paho leaves the socket of a failed handshake to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_documented_secure_broker_is_verified_and_lets_a_worker_speak_only_as_itself(mosquitto, tmp_path):
    folder = tmp_path / "etc"
    folder.mkdir()
    certificates(folder)
    (folder / "fanqi.acl").write_text(documented("acl"))
    (folder / "fanqi.acl").chmod(0o600)
    text = settings(folder, "secure").replace("/etc/mosquitto/certs", str(folder))
    broker = mosquitto(text.replace("/etc/mosquitto", str(folder)), "mqtts")
    ca = folder / "ca.pem"

    async def scenario():
        async with Broker(login(broker.address, "attic", "atticattic", folder)).open(Endpoint("x", ())) as link:
            with pytest.raises(LinkError, match="CERTIFICATE_VERIFY_FAILED"):
                await until(link, Connected)
        attic = Broker(login(broker.address, "attic", "atticattic", folder, ca=ca))
        cellar = Broker(login(broker.address, "cellar", "cellarcellar", folder, ca=ca))
        club = Broker(login(broker.address, "club", "clubclub", folder, ca=ca))
        mine = ("fanqi/worker/attic/from/+", "fanqi/worker/attic/presence")
        async with (
            attic.open(Endpoint("attic", mine)) as worker,
            cellar.open(Endpoint("cellar", ("fanqi/worker/+/from/+",))) as thief,
            club.open(Endpoint("club", ("fanqi/worker/+/presence", "fanqi/dispatcher/d1/from/+"))) as dispatcher,
        ):
            for link in (worker, thief, dispatcher):
                await until(link, Connected)
            worker.publish(Outgoing("fanqi/worker/attic/presence", b"1", retain=True))
            await until(dispatcher, Incoming("fanqi/worker/attic/presence", b"1"))
            dispatcher.publish(Outgoing("fanqi/worker/attic/from/d1", b"2"))
            await until(worker, Incoming("fanqi/worker/attic/from/d1", b"2"))
            thief.publish(Outgoing("fanqi/dispatcher/d1/from/attic", b"forged"))
            thief.publish(Outgoing("fanqi/worker/attic/presence", b"forged", retain=True))
            worker.publish(Outgoing("fanqi/dispatcher/d1/from/attic", b"3"))
            events = await until(dispatcher, Incoming("fanqi/dispatcher/d1/from/attic", b"3"))
            await thief.flush(5)
            events += await dispatcher.receive(0.3)
            events += await thief.receive(0.3)
            assert [event for event in events if b"forged" in getattr(event, "payload", b"")] == []
            assert [event for event in events if event == Incoming("fanqi/worker/attic/from/d1", b"2")] == []

    asyncio.run(scenario())


def test_the_embedded_broker_delivers_keeps_and_publishes_wills():
    pytest.importorskip("amqtt")
    from fanqi.mqtt.embedded import embedded_broker

    async def scenario():
        port = free_port()
        async with embedded_broker("127.0.0.1", port):
            network = Broker(parse_broker(f"mqtt://127.0.0.1:{port}"))
            async with network.open(Endpoint("a", ("x/+",))) as link:
                await until(link, Connected)
                link.publish(Outgoing("x/r", b"kept", retain=True))
                await until(link, Incoming("x/r", b"kept"))
                async with network.open(Endpoint("b", ("x/r",))) as other:
                    await until(other, Incoming("x/r", b"kept"))
        with pytest.raises(LinkError, match=rf"^203\.0\.113\.1:{port}: (?!.*Errno)"):
            async with embedded_broker("203.0.113.1", port):
                pass

    asyncio.run(scenario())
