"""What one address may do, whatever server counts it."""

from __future__ import annotations

import pytest

from fanqi.peers import AddressBook, source_of


def test_one_address_has_so_many_connections_at_a_time_and_loopback_any_number() -> None:
    book = AddressBook(2, 1000, lambda: 0.0)
    assert book.enter("192.0.2.1") is None
    assert book.enter("192.0.2.1") is None
    assert book.enter("192.0.2.1") == "2 connections from 192.0.2.1 are open already"
    assert book.enter("192.0.2.2") is None
    book.leave("192.0.2.1")
    assert book.enter("192.0.2.1") is None
    assert all(book.enter("127.0.0.1") is None for _ in range(10))
    assert all(book.enter(source_of("::1")) is None for _ in range(10))


def test_one_address_makes_so_many_connections_a_minute() -> None:
    now = [0.0]
    book = AddressBook(100, 6, lambda: now[0])
    for _ in range(6):
        assert book.enter("192.0.2.1") is None
        book.leave("192.0.2.1")
    assert book.enter("192.0.2.1") == "too many connections from 192.0.2.1; the next one in 10 s"
    now[0] = 10.0
    assert book.enter("192.0.2.1") is None
    assert book.enter("192.0.2.1") is not None


def test_a_wrong_secret_counts_as_many_connections() -> None:
    book = AddressBook(100, 60, lambda: 0.0)
    admitted = 0
    while book.enter("192.0.2.1") is None:
        admitted += 1
        book.blame("192.0.2.1")
    assert admitted == 3


def test_addresses_without_number_cost_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanqi.peers.addresses.MOST_ADDRESSES", 1000)
    now = [0.0]
    book = AddressBook(1, 60, lambda: now[0])
    assert book.enter("192.0.2.1") is None  # and stays
    for number in range(5000):
        now[0] += 0.001
        book.enter(f"10.0.{number >> 8}.{number & 255}")
        book.leave(f"10.0.{number >> 8}.{number & 255}")
    assert len(book._visitors) <= 1001
    assert book.enter("192.0.2.1") is not None


@pytest.mark.parametrize(
    ("peer", "source"),
    [("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("::ffff:192.0.2.7", "192.0.2.7")],
)
def test_an_ipv6_address_stands_for_its_network(peer: str, source: str) -> None:
    assert source_of(peer) == source


def test_wrong_secrets_are_not_forgotten_before_they_are_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanqi.peers.addresses.MOST_ADDRESSES", 2)
    now = [0.0]
    book = AddressBook(8, 60, lambda: now[0])
    assert book.enter("192.0.2.1") is None
    for _ in range(10):
        book.blame("192.0.2.1")
    book.leave("192.0.2.1")
    assert book.enter("192.0.2.2") is None
    book.leave("192.0.2.2")
    now[0] = 61.0
    assert book.enter("192.0.2.3") is None  # there is no room for it before others are forgotten
    assert book.enter("192.0.2.1") is not None
