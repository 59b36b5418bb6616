"""Noticing peers that are gone without a word."""

from __future__ import annotations

import socket

from fanqi.peers import keep_alive


def test_the_system_is_asked_to_probe_a_silent_peer():
    with socket.socket() as connection:
        keep_alive(connection)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def test_a_connection_that_is_over_already_is_none_to_complain_about():
    connection = socket.socket()
    connection.close()
    keep_alive(connection)
    keep_alive(None)
