"""Formulas that accept and decline: what they say, and what is not one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanqi.ggs_server.formula import Facts, FormulaError, parse_formula

FACTS: Facts = {
    "saved": False, "rated": True, "rand": True, "synchro": True, "komi": False, "anti": False, "discs": 20, "size": 8,
    "stored": 0, "mr": 1800.0, "or": 1650.0, "mc": "B", "oc": "W", "playing_rand": 1, "playing_other": 0, "mt1": 300,
    "mm1": 0, "ml1": True, "mt2": 0, "mm2": 1, "ma2": True, "mt3": 120, "mm3": 0, "ma3": True, "ot1": 300, "om1": 0,
    "ol1": True, "ot2": 0, "om2": 1, "oa2": True, "ot3": 120, "om3": 0, "oa3": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("", False),
        ("T", True),
        ("F", False),
        ("rated", True),
        ("!rated", False),
        ("saved | (rand & synchro & discs >= 18 & discs <= 24)", True),
        ("rand & komi", False),
        ("mt1 >= 60 & mt1 <= 600", True),
        ("or > mr - 100", False),
        ("or > mr - 200.0", True),
        ("mc == B & oc != B", True),
        ("playing T > 0", True),
        ("playing F > 0", False),
        ("discs * 2 + 1 == 41", True),
        ("-discs < 0 & 1 / 0 == 0", True),
    ],
)
def test_formulas_mean_what_they_say(text: str, fits: bool) -> None:
    assert parse_formula(text).fits(FACTS) is fits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foo", "E5.?: foo"),
        ("mt1 <", "E5.?: "),
        ("rated rated", "E0.?: rated"),
        ("(rated", "E5.?: "),
        ("mt1", "E1.?: not a truth value: mt1"),
        ("rated + 1", "E2.?: + 1"),
        ("rated < saved", "E2.?: < saved"),
        ("mc < B", "E2.?: < B"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_rest(text: str, said: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse_formula(text)
    assert str(error.value) == said


@given(st.text(alphabet="TFBW?|&=!<>+-*/()0123456789. abdeikmnorst", max_size=60))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    try:
        formula = parse_formula(text)
    except FormulaError:
        return
    assert formula.fits(FACTS) in (True, False)


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    with pytest.raises(FormulaError):
        parse_formula("(" * 500 + "T" + ")" * 500)
