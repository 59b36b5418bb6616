"""What a client tells about itself while it runs."""

from __future__ import annotations

from fanqi.ggs import Status
from fanqi.metrics import render


def test_the_line_says_how_it_goes() -> None:
    status = Status(clock=lambda: 100.0)
    status.state, status.cuts, status.rating = "fanqi@skatgame.net", 2, 2041.6
    status.matches.update(win=3, loss=1, adjourned=5)
    status.boards = (".7.0 s8r20 bob 01:22-00:58 #31 +3.2",)
    assert status.line() == (
        "fanqi@skatgame.net  00:00  4 matches +3 =0 -1  2 cuts  rating 2042  .7.0 s8r20 bob 01:22-00:58 #31 +3.2"
    )


def test_what_a_server_says_gives_no_orders_to_the_terminal() -> None:
    status = Status(clock=lambda: 100.0)
    status.state = "waiting 3 s: \x1b]0;mine\x1b\\"
    assert status.line().startswith("waiting 3 s: \\x1b]0;mine\\x1b\\  00:00")


def test_the_metrics_say_the_same() -> None:
    status = Status()
    status.connected, status.moves, status.cuts = True, 12, 3
    status.matches.update(win=2, adjourned=1)
    text = render(status.families())
    for line in (
        "fanqi_ggs_connected 1",
        "fanqi_ggs_moves_total 12",
        "fanqi_ggs_cuts_total 3",
        'fanqi_ggs_matches_total{result="win"} 2',
        'fanqi_ggs_matches_total{result="adjourned"} 1',
    ):
        assert line in text
