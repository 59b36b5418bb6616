"""What is accepted, what is declined, and the reason that is logged."""

from __future__ import annotations

import pytest

from fanqi.ggs.config import AcceptConfig, OfferConfig
from fanqi.ggs.policy import judge_offer, judge_request
from fanqi.ggs_wire import ClockSetting, GameType, Request


def request(kind: str = "8", clock: str = "5:00//2:00", **changes: object) -> Request:
    fields: dict[str, object] = {
        "id": ".8",
        "rating": 1800.0,
        "asker": "bob",
        "clock": ClockSetting.parse(clock),
        "type": GameType.parse(kind),
        "flag": "R",
        "opponent_rating": 1720.0,
        "opponent": "me",
    }
    return Request(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["8", "8b", "8w", "8a", "8ba", "8k", "8kr16", "s8r20", "s8"])
def test_all_kinds_of_8x8_are_taken_by_default(kind: str) -> None:
    assert judge_request(request(kind), AcceptConfig(), "me", 0, stopping=False).accept


@pytest.mark.parametrize(
    ("asked", "accept", "reason"),
    [
        (request("6"), AcceptConfig(types=["*"]), "board 6 is not played"),
        (request("s10r40"), AcceptConfig(types=["*"]), "board 10 is not played"),
        (request("88"), AcceptConfig(types=["*"]), "board 88 is not played"),
        (request("8a"), AcceptConfig(types=["8", "s8*"]), "type 8a is not wanted"),
        (request(), AcceptConfig(rated="no"), "rated"),
        (request(flag="U"), AcceptConfig(rated="yes"), "not rated"),
        (request(), AcceptConfig(opponents=["carl", "d*"]), "bob is not among the opponents wanted"),
        (request(), AcceptConfig(blocked=["b*"]), "bob is blocked"),
        (request(), AcceptConfig(rating=(1900, 3000)), "rating 1800 is not between 1900 and 3000"),
        (request(clock="0:05"), AcceptConfig(), "initial time 5 s is not between 10 and 3600"),
        (request(clock="5:00/1:30"), AcceptConfig(), "increment 90 s is not between 0 and 60"),
        (request(clock="5:00//9:00"), AcceptConfig(extension_s=(0, 120)), "extension 540 s is not between 0 and 120"),
        (request(opponent_clock=ClockSetting.parse("1:00")), AcceptConfig(), "clock 01:00//02:00 is worse"),
        (request(flag="S", stored=".3"), AcceptConfig(resume=False), "adjourned games are not resumed"),
    ],
)
def test_what_is_not_wanted_is_declined_with_the_reason(asked: Request, accept: AcceptConfig, reason: str) -> None:
    verdict = judge_request(asked, accept, "me", 0, stopping=False)
    assert not verdict.accept
    assert not verdict.silent
    assert verdict.reason.startswith(reason)


def test_no_more_matches_at_a_time_than_wanted() -> None:
    assert not judge_request(request(), AcceptConfig(games=2), "me", 2, stopping=False).accept
    assert judge_request(request(), AcceptConfig(games=3), "me", 2, stopping=False).accept


def test_a_client_that_stops_takes_only_adjourned_games() -> None:
    assert not judge_request(request(), AcceptConfig(), "me", 0, stopping=True).accept
    assert judge_request(request(flag="S", stored=".3"), AcceptConfig(), "me", 0, stopping=True).accept


def test_an_adjourned_game_goes_on_whatever_else_is_wanted_now() -> None:
    accept = AcceptConfig(types=["8"], opponents=["carl"], initial_s=(600, 900))
    assert judge_request(request("s8r20", "1:00", flag="S", stored=".3"), accept, "me", 0, stopping=False).accept


def test_requests_to_anybody_are_taken_or_left_but_never_declined() -> None:
    anybody = request(opponent=None, opponent_rating=None)
    assert judge_request(anybody, AcceptConfig(), "me", 0, stopping=False).accept
    left = judge_request(anybody, AcceptConfig(from_anybody=False), "me", 0, stopping=False)
    assert (left.accept, left.silent) == (False, True)


@pytest.mark.parametrize("asked", [request(opponent="carl"), request(asker="me", opponent="bob")])
def test_requests_of_ours_and_to_others_are_left_alone(asked: Request) -> None:
    assert judge_request(asked, AcceptConfig(), "me", 0, stopping=False).silent


@pytest.mark.parametrize(
    ("kind", "offers", "rated", "accepted"),
    [
        ("undo", OfferConfig(), False, False),
        ("undo", OfferConfig(undo="unrated"), False, True),
        ("undo", OfferConfig(undo="unrated"), True, False),
        ("undo", OfferConfig(undo="always"), True, True),
        ("abort", OfferConfig(), False, True),
        ("abort", OfferConfig(), True, False),
        ("abort", OfferConfig(abort="never"), False, False),
        ("score", OfferConfig(undo="always", abort="always"), False, False),
    ],
)
def test_offers_are_answered_by_policy(kind: str, offers: OfferConfig, rated: bool, accepted: bool) -> None:
    assert judge_offer(kind, offers, rated).accept is accepted
