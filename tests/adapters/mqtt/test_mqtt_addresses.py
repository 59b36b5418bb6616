"""Broker addresses, names and topics: read, written, refused."""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.mqtt import AddressError, TopicError, Topics, check_name, complete_address, new_name, parse_broker

NAMES = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")


@pytest.fixture(autouse=True)
def _no_login_from_outside(monkeypatch):
    for name in ("FANQI_MQTT_USER", "FANQI_MQTT_PASSWORD", "FANQI_MQTT_CA"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("text", "host", "port", "prefix", "secure", "user"),
    [
        ("mqtt://host", "host", 1883, "fanqi", False, None),
        ("mqtts://host", "host", 8883, "fanqi", True, None),
        ("mqtt://10.0.0.1:1884/", "10.0.0.1", 1884, "fanqi", False, None),
        ("mqtts://attic@broker.example/club/two", "broker.example", 8883, "club/two", True, "attic"),
        ("mqtt://[::1]:2000", "::1", 2000, "fanqi", False, None),
    ],
)
def test_an_address_is_read(text, host, port, prefix, secure, user):
    address = parse_broker(text)
    assert (address.host, address.port, address.prefix, address.user) == (host, port, prefix, user)
    assert (address.tls is not None) is secure
    assert parse_broker(str(address)) == address


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("host:1883", "begins with mqtt://"),
        ("http://host", "begins with mqtt://"),
        ("mqtt://", "names no host"),
        ("mqtt://a..b", "'a..b' is not the name of a host"),
        ("mqtt://host:99999", "out of range"),
        ("mqtt://host:x", "could not be cast"),
        ("mqtt://host/a b", "topic prefix"),
        ("mqtt://host/a/#b", "nothing may follow"),
        ("mqtt://host/a?b", "nothing may follow"),
    ],
)
def test_a_bad_address_is_refused_with_the_reason(text, reason):
    with pytest.raises(AddressError, match=reason):
        parse_broker(text)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(AddressError, match="does not belong there") as caught:
        parse_broker("mqtt://me:secret@host")
    assert "secret" not in str(caught.value)


def test_user_and_password_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("FANQI_MQTT_USER", "me")
    monkeypatch.setenv("FANQI_MQTT_PASSWORD", "secret")
    address = complete_address("mqtt://host")
    assert (address.user, address.password) == ("me", "secret")
    assert "secret" not in repr(address)
    assert "secret" not in str(address)


def test_a_password_without_a_user_is_refused(monkeypatch):
    monkeypatch.setenv("FANQI_MQTT_PASSWORD", "secret")
    with pytest.raises(AddressError, match="no user"):
        complete_address("mqtt://host")


def test_a_password_comes_from_a_file_which_is_named_where_it_cannot_be_used(tmp_path):
    path = tmp_path / "password"
    path.write_text("secret\n")
    path.chmod(0o600)
    assert complete_address("mqtt://attic@host", password_file=path).password == "secret"
    with pytest.raises(AddressError, match=r"password file '.*none': No such file"):
        complete_address("mqtt://attic@host", password_file=tmp_path / "none")


def test_certificates_are_verified_unless_the_user_says_otherwise():
    assert complete_address("mqtts://host").tls.context().verify_mode is ssl.CERT_REQUIRED
    assert complete_address("mqtts://host").tls.context().check_hostname
    assert complete_address("mqtts://host", verify=False).tls.context().verify_mode is ssl.CERT_NONE


def test_tls_options_without_tls_are_refused(tmp_path):
    with pytest.raises(AddressError, match="for mqtts://"):
        complete_address("mqtt://host", ca=tmp_path / "ca.pem")


def test_an_authority_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "ca.pem"
    path.write_text("not a certificate")
    with pytest.raises(AddressError, match="certificate authority file"):
        complete_address("mqtts://host", ca=path).tls.context()


@given(NAMES, NAMES, NAMES)
def test_topics_are_read_as_they_are_formed(prefix, worker, dispatcher):
    topics = Topics(prefix)
    assert topics.read_presence(topics.presence(worker)) == worker
    assert topics.read_to_worker(topics.to_worker(worker, dispatcher)) == (worker, dispatcher)
    assert topics.read_to_dispatcher(topics.to_dispatcher(dispatcher, worker)) == (dispatcher, worker)


@given(st.text(max_size=60))
def test_other_topics_are_not_ours(text):
    topics = Topics()
    for topic in (text, f"fanqi/{text}", f"fanqi/worker/{text}/presence/x"):
        name = topics.read_presence(topic)
        assert name is None or topic == topics.presence(name)
        assert topics.read_to_worker(topic) is None or topic.count("/") == 4


@pytest.mark.parametrize("name", ["", "a/b", "#", "+", "-a", "a" * 64, "ä", "a b", "a\n"])
def test_a_name_that_would_break_a_topic_is_refused(name):
    with pytest.raises(TopicError, match="cannot be a name"):
        check_name(name)


def test_drawn_names_are_names_and_differ():
    names = {new_name() for _ in range(1000)}
    assert len(names) == 1000
    assert all(check_name(name) for name in names)
