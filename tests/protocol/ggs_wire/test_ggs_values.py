"""The small values of the wire: what is read, what is refused, and that each reads what it writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.ggs_wire import (
    BOARD_WIDTHS,
    Block,
    ClockPart,
    ClockSetting,
    ClockState,
    GameId,
    GameType,
    MatchEnd,
    Move,
    StoredNotice,
    WireError,
    format_duration,
    parse_duration,
    recognise,
)

SECONDS = st.integers(0, 10 * 24 * 3600)
COUNTS = st.integers(0, 99)
SETTINGS = st.builds(
    ClockSetting, SECONDS, SECONDS, SECONDS, COUNTS, st.integers(1, 99), COUNTS, st.booleans(), st.booleans(),
    st.booleans(),
)  # fmt: skip
PARTS = st.builds(ClockPart, st.integers(-9999, 999_999), st.booleans(), COUNTS, COUNTS)
CLOCKS = st.builds(ClockState, PARTS, st.none() | PARTS, PARTS)
MOVES = st.builds(
    Move,
    st.sampled_from(["f5", "H8", "pa", "PASS", "n14"]),
    st.integers(-99_900, 99_900).map(lambda hundredths: hundredths / 100),
    st.integers(0, 9_999_999).map(lambda hundredths: hundredths / 100),
)


@st.composite
def game_types(draw: st.DrawFn) -> GameType:
    board = draw(st.sampled_from(sorted(BOARD_WIDTHS)))
    synchro, komi = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    most = (88 if board == 88 else board**2) - (40 if board == 88 else 16)
    random = draw(st.none() | st.integers(4, most)) if most >= 4 and (synchro or komi) else None
    colour = draw(st.sampled_from(["", "b", "w"])) if not komi and random is None else ""
    return GameType(board, synchro, komi, random, colour, draw(st.booleans()))


@given(st.integers(-(10**7), 10**7))
def test_durations_are_read_as_they_are_written(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@given(SETTINGS)
def test_clock_settings_are_read_as_they_are_written(setting: ClockSetting) -> None:
    read = ClockSetting.parse(str(setting))
    if setting.increment == 0:  # its number of moves and its rule are not written
        assert (read.initial, read.extension, str(read)) == (setting.initial, setting.extension, str(setting))
    else:
        assert read == setting


@given(CLOCKS)
def test_running_clocks_are_read_as_they_are_written(clock: ClockState) -> None:
    assert ClockState.parse(str(clock)) == clock


@given(MOVES)
def test_moves_are_read_as_they_are_written(move: Move) -> None:
    assert str(Move.parse(str(move))) == str(move)


@given(game_types())
def test_game_types_are_read_as_they_are_written(kind: GameType) -> None:
    assert GameType.parse(str(kind)) == kind


@pytest.mark.parametrize(
    ("typed", "printed"),
    [("8x", "8"), ("6ab", "6ba"), ("S8R20", "s8r20"), ("8r16k", "8kr16"), ("8AK", "8ka"), ("88", "88")],
)
def test_game_types_are_printed_in_canonical_order(typed: str, printed: str) -> None:
    assert str(GameType.parse(typed)) == printed


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("8r20", "random games must be komi or synchro"),
        ("s8kr20", "synchro+komi not supported"),
        ("9", "illegal board type"),
        ("", "illegal board type"),
        ("8bw", "only one color preference allowed"),
        ("8rb", "missing or illegal rand-type"),
        ("s8r49", "missing or illegal rand-type"),
        ("8kb", "no preferred color in komi or rand games"),
    ],
)
def test_game_types_that_are_not_played_are_refused_in_the_words_of_the_service(typed: str, reason: str) -> None:
    with pytest.raises(WireError) as error:
        GameType.parse(typed)
    assert error.value.reason == reason


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("5", "05:00//02:00"),
        ("5:00//1:00", "05:00//01:00"),
        ("", "15:00//02:00"),
        ("1:00/0:02/0:30", "01:00/00:02/00:30"),
        ("0:30/0:01,2/1:00,N5", "00:30/00:01,2/01:00,N5"),
        ("2:00:00", "02:00:00//02:00"),
        ("1:00,N20//0", "01:00,N20//00:00"),
    ],
)
def test_typed_clocks_are_printed_as_the_service_prints_them(typed: str, printed: str) -> None:
    assert str(ClockSetting.parse(typed)) == printed


@pytest.mark.parametrize("typed", ["bob", "5:", "1:2:3:4", "5/0:02,0", "1/2/3/4", "5,x"])
def test_what_is_no_clock_is_refused(typed: str) -> None:
    with pytest.raises(WireError):
        ClockSetting.parse(typed)


@pytest.mark.parametrize(("kind", "pool"), [("8b", "8"), ("8k", "8"), ("s8r20", "8r"), ("8a", "8a"), ("8kr16a", "8ra")])
def test_the_rating_pool_knows_board_random_and_anti(kind: str, pool: str) -> None:
    assert GameType.parse(kind).pool == pool


@pytest.mark.parametrize("text", ["7", ".x", ".7.10", "", ".7."])
def test_what_is_no_game_id_is_refused(text: str) -> None:
    with pytest.raises(WireError):
        GameId.parse(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("d6/xx", "move eval expected"),
        ("d6/1/-3", "move time >= 0 expected"),
        ("d6/1/x", "move time >= 0 expected"),
        ("d6/1e3", "move eval expected"),
        ("d6/1000", "move eval out of range"),
        ("d6/nan", "move eval expected"),
    ],
)
def test_moves_with_bad_numbers_are_refused(text: str, reason: str) -> None:
    with pytest.raises(WireError) as error:
        Move.parse(text)
    assert error.value.reason == reason


def service(*body: str) -> object:
    """What is understood of something that the service says."""
    (message,) = recognise(Block((f"/os: {body[0]}", *(f"|{line}" for line in body[1:]))))
    return message


@pytest.mark.parametrize(
    "body",
    [
        ("+ ann stored+ bob stored",),  # as the genuine server writes several
        ("+ ann stored", "+ bob stored"),
        ("+ ann stored+ bob stored ",),
    ],
)
def test_all_names_of_a_notice_of_stored_games_are_read(body: tuple[str, ...]) -> None:
    assert service(*body) == StoredNotice(("ann", "bob"))


DRAWS = [
    "- match .5 2073 alice 1367 bob 8a R {}0.00  .3",
    "end .7.1 ( alice vs. bob ) {}0.00",
    "history 1 alice\n.3       30 Nov 2026 02:06:04 2038 alice    1402 bob        {}0.0 8",
]


@pytest.mark.parametrize("draw", DRAWS)
def test_a_draw_has_no_sign_whichever_one_it_came_with(draw: str) -> None:
    minus, plus = (service(*draw.format(sign).split("\n")) for sign in "-+")
    assert repr(minus) == repr(plus)
    assert minus.body() == plus.body() == draw.format("+").split("\n")  # type: ignore[attr-defined]


def test_a_result_that_is_rounded_to_a_draw_is_written_without_a_minus() -> None:
    end = MatchEnd(GameId(5), (1720, 1720), ("ann", "bob"), GameType(), "U", -0.001)
    assert end.body() == ["- match .5 1720 ann 1720 bob 8 U +0.00"]
