"""From files to jobs and from answers to lines, over crashes."""

from __future__ import annotations

import io
import json
import re
from typing import cast

import msgspec
import pytest

from fanqi.dispatch.errors import IntakeError, LedgerError
from fanqi.dispatch.intake import Rejected, Source, Template, jobs_of, open_source
from fanqi.dispatch.ledger import Ledger
from fanqi.dispatch.results import ResultFile
from fanqi.dispatch.submission import Submission
from fanqi.jobs.context import Context, JobError
from fanqi.jobs.selfplay import selfplay
from fanqi.mqtt.codec import decode_work
from fanqi.mqtt.work import PingResult, SearchLimits, Selfplay

DEPTH = Template("analyse", SearchLimits(depth=3))
START = "---------------------------OX------XO--------------------------- X"


def works(tmp_path, text, template=DEPTH, name="in.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [
        piece if isinstance(piece, Rejected) else decode_work(piece.work)
        for piece in jobs_of(Source(name, path), template)
    ]


def test_positions_are_read_in_every_form_and_moves_are_made_canonical(tmp_path):
    banqi = "XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX/XXXX KGGMMRRNNCCPPPPPkggmmrrnnccppppp ?0 0 -"
    text = f"# comment\n\nstartpos\nposition startpos moves F5 d6\n{START}; F5:+0\nf5d6\nbanqi\n{banqi}\n"
    found = works(tmp_path, text)
    assert [work.position.game for work in found] == ["othello"] * 4 + ["banqi"] * 2
    assert found[0].position.fen == START
    assert found[1].position.moves == ("f5", "d6")
    assert found[0].limits == SearchLimits(depth=3)


def test_a_line_of_json_may_say_more_and_its_limits_win(tmp_path):
    line = {"position": "startpos", "moves": ["f5"], "movetime": 50, "multipv": 2}
    (work,) = works(tmp_path, json.dumps(line))
    assert work.limits == SearchLimits(movetime_ms=50)
    assert (work.multipv, work.position.moves) == (2, ("f5",))


def test_what_is_no_job_is_rejected_with_its_place_and_the_rest_goes_on(tmp_path):
    text = 'startpos\nnonsense\nstartpos moves a1\n{"depth": -1}\n{broken\nstartpos\n' + "x" * 70_000 + "\nstartpos\n"
    found = works(tmp_path, text)
    rejected = [piece for piece in found if isinstance(piece, Rejected)]
    assert [piece.origin for piece in rejected] == ["in.txt:2", "in.txt:3", "in.txt:4", "in.txt:5", "in.txt:7"]
    assert rejected[0].reason.startswith("column 1: 'nonsense'")
    assert "a1" in rejected[1].reason
    assert "65536" in rejected[4].reason
    assert len(found) == 8


def test_bytes_that_are_no_text_are_rejected(tmp_path):
    (piece,) = works(tmp_path, b"\xff\xfe\x00\x01\n")
    assert isinstance(piece, Rejected)


def test_a_position_of_another_game_than_asked_for_is_rejected(tmp_path):
    template = Template("analyse", SearchLimits(depth=1), game="banqi")
    assert "of othello, not of banqi" in works(tmp_path, "startpos", template)[0].reason


def test_games_are_read_from_records(tmp_path):
    template = Template("game", SearchLimits(movetime_ms=100))
    found = works(tmp_path, "f5d6c3d3c4f4\nf5f6zz\nf5d6\n", template)
    assert found[0].position.moves == ("f5", "d6", "c3", "d3", "c4", "f4")
    assert isinstance(found[1], Rejected)
    assert "in.txt:2" in found[1].origin
    assert found[2].position.moves == ("f5", "d6")


def test_a_search_of_stated_time_gets_a_lease_that_fits_it(tmp_path):
    path = tmp_path / "in"
    path.write_text("startpos\n")
    (job,) = jobs_of(Source("in", path), Template("analyse", SearchLimits(movetime_ms=10_000)))
    assert job.lease_s == 75.0
    (job,) = jobs_of(Source("in", path), Template("analyse", SearchLimits(depth=9), job_timeout_s=777.0))
    assert job.lease_s == 777.0


def test_self_play_is_cut_into_jobs_with_seeds_of_their_own():
    template = Template("selfplay", SearchLimits(depth=4), game="othello", games=25, games_per_job=10, seed=7)
    found = [decode_work(job.work) for job in jobs_of(Source("self-play"), template)]
    assert [(work.seed, work.games) for work in found] == [(7, 10), (8, 10), (9, 5)]


def test_self_play_of_othello_by_other_rules_is_refused_and_not_played_by_the_usual_ones():
    template = Template("selfplay", SearchLimits(depth=1), game="othello", games=1, rules="rules=1890")
    with pytest.raises(IntakeError, match="'rules=1890': self-play of Othello is by its usual rules only"):
        list(jobs_of(Source("self-play"), template))
    work = Selfplay(game="othello", games=1, seed=1, depth=1, rules="rules=1890")
    with pytest.raises(JobError, match="usual rules only"):
        selfplay(work, cast("Context", None))


def test_an_argument_is_a_file_or_a_position_or_an_error(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("startpos")
    assert open_source(str(path), "analyse").path == path
    assert open_source("startpos moves f5", "analyse").text == "startpos moves f5"
    assert open_source("-", "game") == Source("-")
    with pytest.raises(IntakeError, match="neither a file nor a position"):
        open_source("no such thing", "analyse")
    with pytest.raises(IntakeError, match="not a file"):
        open_source("startpos", "game")


def test_positions_given_as_arguments_are_told_apart_by_their_place():
    sources = [open_source(text, "analyse", place) for place, text in enumerate(("startpos", "startpos moves f5"), 1)]
    jobs = [job for source in sources for job in jobs_of(source, DEPTH)]
    assert [job.origin for job in jobs] == ["argument:1", "argument:2"]


def crash(ledger):
    ledger._db.rollback()
    ledger._db.close()


def open_ledger(tmp_path):
    return Ledger(tmp_path / "state", name=lambda: "d")


def test_input_is_taken_once_however_often_the_process_dies(tmp_path):
    path = tmp_path / "in"
    path.write_text("".join(f"text {number}\n" for number in range(1700)))
    template, source = Template("ping"), Source("in", path)
    commits = 0
    while True:
        ledger = open_ledger(tmp_path)
        submission = Submission(ledger, [source], template)
        more = submission.feed()
        ledger.commit()
        commits += 1
        if more:
            submission.feed()  # lost
        crash(ledger)
        if not more:
            break
    ledger = open_ledger(tmp_path)
    assert commits > 2
    assert ledger.counts.total == 1700
    assert [decode_work(job.work).text for job in ledger.ready(ledger.needs()[0], 2000)] == [
        f"text {number}" for number in range(1700)
    ]
    assert Submission(ledger, [source], template).feed() is False


def test_a_state_file_of_another_submission_is_refused(tmp_path):
    path = tmp_path / "in"
    path.write_text("a\n")
    ledger = open_ledger(tmp_path)
    Submission(ledger, [Source("in", path)], Template("ping"))
    with pytest.raises(LedgerError, match=rf"{re.escape(str(ledger.path))}.*another submission.*give another --out"):
        Submission(ledger, [Source("in", path)], Template("ping", threads=2))
    path.write_text("a\nb\n")
    with pytest.raises(LedgerError, match="another submission"):
        Submission(ledger, [Source("in", path)], Template("ping"))


def test_results_are_exact_to_the_line_after_a_crash_between_file_and_ledger(tmp_path):
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text("".join(f"{number}\n" for number in range(1, 7)))
    ledger = open_ledger(tmp_path)
    Submission(ledger, [Source("in", path)], Template("ping")).feed()
    results = ResultFile(ledger, out, ordered=True)
    for seq in (1, 2, 4):
        ledger.lease(seq, "w", "i")
        ledger.finish(seq, 1, "w", 0.25, 3, msgspec.msgpack.encode(PingResult(text=str(seq))))
    ledger.commit()
    results.harvest(True)
    results.close()
    assert len(out.read_text().splitlines()) == 2
    crash(ledger)  # the file has two lines, the ledger knows of none
    out.write_text(out.read_text() + '{"half a li')

    ledger = open_ledger(tmp_path)
    results = ResultFile(ledger, out, ordered=True)
    for seq in (3, 5, 6):
        ledger.lease(seq, "w", "i")
        ledger.fail(seq, 1, "w", f"no {seq}") if seq == 5 else ledger.finish(
            seq, 1, "w", 0.25, 3, msgspec.msgpack.encode(PingResult(text=str(seq)))
        )
    results.harvest(True)
    results.close()
    ledger.close()
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["job"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[0] == {
        "job": 1, "from": "in:1", "work": {"type": "ping", "text": "1"}, "result": {"type": "ping", "text": "1"},
        "worker": "w", "attempt": 1, "seconds": 0.25, "nodes": 3,
    }  # fmt: skip
    assert rows[4]["error"] == "no 5"


def test_a_result_file_that_lost_what_was_written_is_refused(tmp_path):
    ledger = open_ledger(tmp_path)
    ledger.write("written", "100")
    (tmp_path / "out").write_text("short")
    with pytest.raises(LedgerError, match="100 were written before"):
        ResultFile(ledger, tmp_path / "out", ordered=True)


def test_unordered_results_come_as_they_arrive(tmp_path):
    path = tmp_path / "in"
    path.write_text("1\n2\n3\n")
    ledger = Ledger(None, name=lambda: "d")
    Submission(ledger, [Source("in", path)], Template("ping")).feed()
    stream = io.BytesIO()
    results = ResultFile(ledger, None, ordered=False, stream=stream)
    for seq in (3, 1):
        ledger.lease(seq, "w", "i")
        ledger.finish(seq, 1, "w", 0.1, 0, msgspec.msgpack.encode(PingResult()))
        results.harvest(True)
    assert [json.loads(line)["job"] for line in stream.getvalue().splitlines()] == [3, 1]
