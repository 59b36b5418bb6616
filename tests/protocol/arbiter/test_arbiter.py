"""The arbiter: deals anybody can repeat, commitments that hold, secrets that stay until the end."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.arbiter import (
    FULL_SET,
    Arbiter,
    ArbiterError,
    CommandError,
    DealError,
    DealRecord,
    Desk,
    DrawError,
    FlipError,
    NoDealError,
    Opening,
    RecordError,
    SeedError,
    TooEarlyError,
    commitment,
    deal,
    deal_record,
    mirror_layout,
    parse_seed,
    transcript_record,
    verify,
)
from fanqi.game import load_game

SEEDS = st.integers(0, 2**128 - 1)

# The algorithm of docs/arbiter.md has to give these for ever.
DEALS = [
    (0, "RCRMprNmmrPgGnGpgPCPcpcnKpkPMpNP", "MKRGN"),
    (1, "kmMPrRPcPpRpNrpPGpPmMnCcKGngNgpC", "GNKMR"),
    (2, "NnPpnPrGCpgmkcpKPrRmGNMpMPcPRpCg", "KNGMR"),
    (12345, "PNprnNcrppgcpCMKMmPgpPkmRPnRPCGG", "MRGNK"),
    (2**128 - 1, "nmPPgpcMGGprMpRPCrKpNgcRPkNmCpnP", "NRKGM"),
]


@pytest.mark.parametrize(("seed", "layout", "draw"), DEALS)
def test_a_seed_always_gives_the_same_deal(seed: int, layout: str, draw: str) -> None:
    secret = deal(seed)
    assert (secret.layout, secret.draw) == (layout, draw)


def test_a_seed_of_thousands_of_digits_is_named_in_one_line() -> None:
    proof = played_record(plies=3)["deal"]
    assert isinstance(proof, dict)
    proof["seed"] = "9" * 5000
    for refused in (lambda: parse_seed("9" * 5000), lambda: verify({"start": "startpos", "moves": [], "deal": proof})):
        with pytest.raises(SeedError, match=r"^'9{79}…': a seed is an integer from 0 to 2\*\*128 - 1$"):
            refused()


def test_the_deal_is_the_one_of_the_written_algorithm() -> None:
    seed = 0xFEDCBA9876543210
    stream = b"".join(
        hashlib.sha256(b"fanqi/deal/1\0" + seed.to_bytes(16, "big") + block.to_bytes(4, "big")).digest()
        for block in range(8)
    )
    place = 0

    def below(bound: int) -> int:
        nonlocal place
        while True:
            byte = stream[place]
            place += 1
            if byte < 256 // bound * bound:
                return byte % bound

    def shuffle(items: list[str]) -> str:
        for i in reversed(range(1, len(items))):
            j = below(i + 1)
            items[i], items[j] = items[j], items[i]
        return "".join(items)

    layout = shuffle(list("KGGMMRRNNCCPPPPPkggmmrrnnccppppp"))
    draw = shuffle(list("KGMRN"))
    assert deal(seed) == type(deal(seed))(seed, layout, draw)


def test_a_position_is_dealt_onto_its_covered_squares() -> None:
    assert deal(7, "KkPpp", [0, 5, 9, 30, 31]).layout == "p....P...k....................pK"


@given(SEEDS, st.permutations(range(32)))
def test_a_deal_depends_on_what_is_covered_and_not_on_its_order(seed: int, squares: list[int]) -> None:
    pieces = "".join(FULL_SET[index] for index in squares[:12])
    again = deal(seed, pieces[::-1], sorted(squares[:12]))
    assert deal(seed, pieces, squares[:12]) == again
    assert Counter(again.layout) == Counter(pieces) + Counter({".": 20})


@given(SEEDS)
def test_the_mirrored_deal_is_the_mirror_image(seed: int) -> None:
    assert deal(seed, mirrored=True).layout == mirror_layout(deal(seed).layout)
    assert mirror_layout(mirror_layout(deal(seed).layout)) == deal(seed).layout


def test_the_mirrored_deal_of_a_position_is_the_mirror_image_too() -> None:
    original = deal(3, "KkP", [0, 6, 20])
    assert deal(3, "KkP", [3, 5, 23], mirrored=True).layout == mirror_layout(original.layout)


def test_every_place_of_the_shuffle_is_equally_likely() -> None:
    counts = Counter(deal(seed).layout.index("K") for seed in range(3200))
    chi_square = sum((counts[square] - 100) ** 2 / 100 for square in range(32))
    assert chi_square < 61.1  # 31 degrees of freedom, one in a thousand; the seeds are fixed


@pytest.mark.parametrize("seed", [-1, 2**128])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(SeedError, match=str(seed)):
        deal(seed)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1_0", " 1", "0x1", "١", "1e3", str(2**128), "9" * 5000])
def test_texts_that_are_no_seeds_are_refused(text: str) -> None:
    with pytest.raises(SeedError, match="an integer from 0"):
        parse_seed(text)


def test_the_largest_seed_is_read() -> None:
    assert parse_seed(str(2**128 - 1)) == 2**128 - 1


@pytest.mark.parametrize(
    ("pieces", "squares", "why"),
    [
        ("KQ", [0, 1], "one of"),
        ("K", [32], "from 0 to 31"),
        ("KG", [1, 1], "distinct"),
        ("KG", [1], "2 pieces for 1"),
    ],
)
def test_deals_that_cannot_be_are_refused(pieces: str, squares: list[int], why: str) -> None:
    with pytest.raises(DealError, match=why):
        deal(1, pieces, squares)


def test_the_commitment_is_the_hash_of_the_documented_bytes() -> None:
    assert commitment(deal(0), bytes(32)) == "f581d17245c3cacffb0907bfe5e405548f32160413433bfc827933d2a0bbf0e0"


def test_two_commitments_to_the_same_deal_differ() -> None:
    assert Arbiter.new(1).commitment != Arbiter.new(1).commitment


def test_flips_are_answered_from_the_layout_and_only_once() -> None:
    arbiter = Arbiter.new(0)
    assert arbiter.flip("a1") == "R"
    assert arbiter.flip("d8") == "P"
    with pytest.raises(FlipError, match="flipped before"):
        arbiter.flip("a1")
    assert "a1" not in arbiter.covered
    assert len(arbiter.covered) == 30


@pytest.mark.parametrize("square", ["", "a", "a0", "a9", "e1", "A1", "a1=K", "a\u0661"])
def test_squares_off_the_board_are_refused(square: str) -> None:
    with pytest.raises(FlipError, match="squares are a1 to d8"):
        Arbiter.new(0).flip(square)


def test_a_square_that_was_never_covered_is_refused() -> None:
    with pytest.raises(FlipError, match="nothing was covered here"):
        Arbiter.new(0, "K", [5]).flip("a1")


def test_the_secret_stays_until_the_game_is_over() -> None:
    arbiter = Arbiter.new(0)
    with pytest.raises(TooEarlyError, match="not over"):
        arbiter.open()
    arbiter.finish()
    opening = arbiter.open()
    assert opening.deal == deal(0)
    assert opening.commitment == arbiter.commitment
    with pytest.raises(FlipError, match="game is over"):
        arbiter.flip("b1")


def test_the_secret_opens_when_nothing_is_covered() -> None:
    arbiter = Arbiter.new(0)
    shown = "".join(arbiter.flip(square) for square in arbiter.covered)
    assert arbiter.open().deal.layout == shown


def test_the_draw_shows_two_of_five_pieces_once() -> None:
    arbiter = Arbiter.new(0)
    assert arbiter.draw(1, 5) == ("M", "N")
    with pytest.raises(DrawError, match="has been made"):
        arbiter.draw(2, 3)


@pytest.mark.parametrize(("first", "second", "why"), [(0, 1, "1 to 5"), (1, 6, "1 to 5"), (3, 3, "same place")])
def test_draws_that_cannot_be_are_refused(first: int, second: int, why: str) -> None:
    with pytest.raises(DrawError, match=why):
        Arbiter.new(0).draw(first, second)


def test_no_draw_after_the_first_flip() -> None:
    arbiter = Arbiter.new(0)
    arbiter.flip("a1")
    with pytest.raises(DrawError, match="has begun"):
        arbiter.draw(1, 2)


def played_record(seed: int = 5, plies: int = 2000, *, mirrored: bool = False) -> dict[str, object]:
    """A game of random moves in which b8, a1 and a2 are flipped first."""
    arbiter, dice = Arbiter.new(seed, mirrored=mirrored), random.Random(seed)
    position = load_game("banqi").start()
    moves: list[object] = []
    while position.ply < plies and position.outcome() is None:
        move = ("b8", "a1", "a2")[position.ply] if position.ply < 3 else dice.choice(position.legal_moves())
        if position.needs_reveal(move):
            move = f"{move}={arbiter.flip(move)}"
        position = position.play(move)
        moves.append({"move": move} if position.ply % 2 else move)
    arbiter.finish()
    opening = arbiter.open()
    proof = {
        "commitment": arbiter.commitment,
        "seed": str(seed),
        "salt": opening.salt.hex(),
        "layout": opening.deal.layout,
        "draw": opening.deal.draw,
        "mirrored": mirrored,
    }
    outcome = position.outcome()
    result: dict[str, object] = {"winner": "p2", "reason": "resigned"}
    if outcome is not None:
        result = {"winner": outcome.winner and outcome.winner.name.lower(), "reason": outcome.reason}
    record = {"game": "banqi", "start": "startpos", "moves": moves, "deal": proof}
    return record | {"final": position.fen(), "result": result}


@pytest.mark.parametrize("mirrored", [False, True])
def test_an_honest_record_is_found_good(mirrored: bool) -> None:
    verdict = verify(played_record(mirrored=mirrored))
    assert verdict.good
    assert len(verdict.checks) == 6


@pytest.mark.parametrize("seed", range(8))
def test_honest_games_are_found_good_however_they_ended(seed: int) -> None:
    assert verify(played_record(seed, 40 + 100 * seed)).good


def changed(**fields: object) -> dict[str, object]:
    return played_record() | fields


def illegal_move() -> dict[str, object]:
    record = played_record(plies=3)
    moves = record["moves"]
    assert isinstance(moves, list)
    moves.append("a1b8")
    return record


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (illegal_move, "move 4: 'a1b8'"),
        (lambda: changed(final="K.../..../..../..../..../..../..../.... - r 0 -"), "they lead to"),
        (lambda: changed(result={"winner": "p1", "reason": "agreed"}), "recorded is 'a win of p1 (agreed)'"),
        (lambda: changed(result={"winner": None, "reason": ""}), "recorded is 'a draw (no reason)'"),
        (lambda: played_record(plies=9) | {"result": {"winner": "p1", "reason": "extinct"}}, "but the game goes on"),
        (lambda: changed(rules="noprogress=2"), "move "),
        (lambda: changed(rules="gravity=1"), "gravity"),
    ],
)
def test_a_game_that_was_not_played_by_the_rules_is_found(
    record: Callable[[], dict[str, object]], problem: str
) -> None:
    verdict = verify(record())
    assert all(check.holds for check in verdict.checks[:3])
    assert problem in " ".join(check.problem for check in verdict.checks[3:])


@pytest.mark.parametrize("field", ["final", "result"])
def test_a_record_without_an_end_is_checked_as_far_as_it_goes(field: str) -> None:
    record = played_record()
    del record[field]
    verdict = verify(record)
    assert verdict.good
    assert len(verdict.checks) == 5


def test_a_flip_is_replayed_with_what_the_opened_layout_has() -> None:
    record = played_record()
    moves = record["moves"]
    assert isinstance(moves, list)
    truth = moves[1]
    moves[1] = "a1=K" if truth != "a1=K" else "a1=k"
    flips, replayed = verify(record).checks[2:4]
    assert "a1 showed" in flips.problem
    assert replayed.holds


def swapped(text: str) -> str:
    other = next(index for index in range(1, 32) if text[index] != text[0])
    letters = list(text)
    letters[0], letters[other] = letters[other], letters[0]
    return "".join(letters)


@pytest.mark.parametrize(
    ("field", "change", "problem"),
    [
        ("commitment", lambda old: old[::-1], "it hashes to"),
        ("seed", lambda old: str(int(old) + 1), "it hashes to"),
        ("salt", lambda old: "00" * 32, "it hashes to"),
        ("layout", swapped, "it hashes to"),
        ("draw", lambda old: old[::-1], "it hashes to"),
        ("mirrored", lambda old: True, "the seed gives layout"),
    ],
)
def test_any_change_to_the_proof_is_found(field: str, change: object, problem: str) -> None:
    record = played_record()
    proof = record["deal"]
    assert isinstance(proof, dict)
    proof[field] = change(proof[field])  # type: ignore[operator]
    verdict = verify(record)
    assert not verdict.good
    assert problem in " ".join(check.problem for check in verdict.checks)


@pytest.mark.parametrize(
    ("move", "problem"), [("d7=K", "showed 'K'"), ("b8=g", "flipped twice"), ("z9=K", "nothing was")]
)
def test_a_flip_that_the_layout_does_not_have_is_found(move: str, problem: str) -> None:
    record = played_record(plies=4)
    moves = record["moves"]
    assert isinstance(moves, list)
    moves.append(move)
    assert problem in verify(record).checks[2].problem


def test_a_flip_left_out_of_a_record_is_found_when_its_piece_moves() -> None:
    record = played_record()
    moves = record["moves"]
    assert isinstance(moves, list)
    del moves[1]
    with pytest.raises(RecordError, match="a1 is still covered"):
        verify(record)


def test_a_layout_that_was_chosen_instead_of_dealt_is_found() -> None:
    layout = swapped(deal(5).layout)
    opening = Opening(type(deal(5))(5, layout, deal(5).draw), bytes(32))
    verdict = verify(DealRecord(opening.commitment, opening.deal, opening.salt))
    assert [check.holds for check in verdict.checks] == [True, False, True]


def test_a_record_of_another_start_position_is_checked_with_its_covered_pieces() -> None:
    arbiter = Arbiter.new(9, "pR", [28, 1])
    shown = arbiter.flip("a8")
    arbiter.finish()
    opening = arbiter.open()
    record = {
        "start": "X.../r.../..../..../..../..../..../.X.K Rp r 3 -",
        "moves": [{"move": f"a8={shown}"}],
        "deal": {
            "commitment": arbiter.commitment,
            "seed": "9",
            "salt": opening.salt.hex(),
            "layout": opening.deal.layout,
            "draw": opening.deal.draw,
        },
    }
    assert verify(record).good


@pytest.mark.parametrize("missing", ["commitment", "seed", "salt", "layout", "draw"])
def test_a_proof_that_is_not_whole_is_refused_by_name(missing: str) -> None:
    record = played_record()
    proof = record["deal"]
    assert isinstance(proof, dict)
    del proof[missing]
    with pytest.raises(RecordError, match=missing):
        verify(record)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"deal": "x"},
        {**played_record(), "start": "nonsense"},
        {**played_record(), "moves": "b8=P"},
        {**played_record(), "moves": ["b8(P)"]},
        {**played_record(), "moves": ["b8b8=P"]},
        {**played_record(), "moves": ["b8"]},
        {**played_record(), "final": 7},
        {**played_record(), "result": "p1"},
        {**played_record(), "result": {"winner": "red"}},
        {**played_record(), "deal": {**played_record()["deal"], "salt": "zz"}},  # type: ignore[dict-item]
        {**played_record(), "deal": {**played_record()["deal"], "layout": "K"}},  # type: ignore[dict-item]
        {**played_record(), "deal": {**played_record()["deal"], "draw": "KK"}},  # type: ignore[dict-item]
    ],
)
def test_a_record_that_cannot_be_read_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(RecordError):
        deal_record(record)


def test_the_session_commands_play_a_whole_deal() -> None:
    desk = Desk()
    said = [desk.answer(words.split()) for words in ("new seed 0", "draw 1 5", "flip a1", "flip d8", "finish", "open")]
    assert said[0].startswith("arbiter commit ")
    assert said[1] == "arbiter drawn 1=M 5=N first"
    assert said[2] == "arbiter reveal a1=R"
    assert said[4] == "arbiter finished"
    assert said[5].startswith(f"arbiter opened seed 0 layout {deal(0).layout} draw MKRGN salt ")
    verdict = verify(transcript_record(["readyok", *said]))
    assert verdict.good
    assert len(verdict.checks) == 4


def test_a_transcript_with_a_lie_in_the_draw_is_found() -> None:
    desk = Desk()
    said = [desk.answer(words.split()) for words in ("new seed 0", "draw 1 5", "finish", "open")]
    said[1] = "arbiter drawn 1=K 5=N first"
    assert "place 1 showed 'K'" in verify(transcript_record(said)).checks[3].problem


def test_a_transcript_without_an_opening_is_refused() -> None:
    with pytest.raises(RecordError, match="has not been opened"):
        transcript_record([Desk().answer(["new"])])
    with pytest.raises(RecordError, match="nothing was committed"):
        transcript_record(["readyok"])


def test_a_second_deal_replaces_the_first() -> None:
    desk = Desk()
    desk.answer(["new", "seed", "0"])
    desk.answer(["flip", "a1"])
    desk.answer(["new", "seed", "1"])
    assert desk.answer(["flip", "a1"]) == "arbiter reveal a1=k"


@pytest.mark.parametrize(
    ("words", "index"),
    [
        ("", 0),
        ("shuffle", 0),
        ("new seed", 2),
        ("new deal 5", 1),
        ("new seed x", 2),
        ("new seed 5 6", 3),
        ("draw 1", 2),
        ("draw a 2", 1),
        ("draw 1 6", 2),
        ("flip", 1),
        ("flip a1 a2", 2),
        ("open now", 1),
        ("finish it", 1),
    ],
)
def test_a_command_that_cannot_be_read_names_the_word(words: str, index: int) -> None:
    with pytest.raises(CommandError) as caught:
        Desk().answer(words.split())
    assert caught.value.index == index


@pytest.mark.parametrize("words", ["draw 1 2", "flip a1", "finish", "open"])
def test_nothing_can_be_asked_before_a_deal(words: str) -> None:
    with pytest.raises(NoDealError, match="nothing has been dealt"):
        Desk().answer(words.split())


@given(
    st.lists(st.lists(st.sampled_from(["new", "seed", "1", "draw", "2", "flip", "a1", "a2", "finish", "open", "x"])))
)
def test_any_commands_give_one_line_or_an_arbiters_refusal(commands: list[list[str]]) -> None:
    desk = Desk()
    for words in commands:
        try:
            answer = desk.answer(words)
        except ArbiterError:
            continue
        assert answer.startswith("arbiter ")
        assert "\n" not in answer
