"""A worker that gives wrong answers beside two good ones."""

from __future__ import annotations

import pytest
from wrong_worker import WRONG, run_wrong_worker


@pytest.mark.parametrize("plausible", [False, True])
def test_no_wrong_answer_counts_and_who_gives_them_gets_no_more_work(plausible):
    figures = run_wrong_worker(30, 3, plausible=plausible)
    assert [name for name, _ in figures["distrusted"]] == [WRONG]
    assert figures["wrong answers"] >= 1
