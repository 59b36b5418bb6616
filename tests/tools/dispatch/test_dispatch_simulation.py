"""Dispatchers and workers in a world where messages get lost and machines die, in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet import BROKEN, POISON, DispatcherMachine, WorkerMachine, World

from fanqi.mqtt.codec import decode_result
from fanqi.mqtt.work import PingResult


def texts_of(machine: DispatcherMachine) -> dict[int, str]:
    answers = machine.ledger.answers_by_seq(0, 10_000)
    texts = {}
    for answer in answers:
        if answer.good:
            result = decode_result(answer.body)
            assert isinstance(result, PingResult)
            texts[answer.seq] = result.text
        else:
            texts[answer.seq] = answer.body.decode()
    return texts


def answered(*machines: DispatcherMachine) -> bool:
    return all(machine.alive and machine.ledger.counts.answered == machine.ledger.counts.total for machine in machines)


def test_a_quiet_world_gives_every_job_to_a_worker_once(tmp_path: Path) -> None:
    world = World(1)
    workers = [WorkerMachine(world, f"w{number}") for number in range(4)]
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add([f"t{number}" for number in range(200)])
    assert world.run(300, lambda: answered(machine))
    assert texts_of(machine) == {number + 1: f"t{number}" for number in range(200)}
    assert sorted(job for worker in workers for job in worker.runs) == sorted(f"d1-{n}" for n in range(1, 201))
    assert machine.dispatcher.tally.asked_again == 0
    assert {worker.worker.done for worker in workers} != {0}


@pytest.mark.parametrize("seed", range(12))
def test_every_job_has_one_right_answer_whatever_dies(tmp_path: Path, seed: int) -> None:
    world = World(seed, loss=0.05, doubling=0.05, delay=0.2)
    chance = world.random
    workers = [WorkerMachine(world, f"w{n}", threads=n % 3 + 1, skew=chance.uniform(-300, 300)) for n in range(4)]
    machines = [DispatcherMachine(world, tmp_path / name) for name in ("d1", "d2")]
    for machine in machines:
        machine.add([f"{machine.path.stem}/{number}" for number in range(150)])
    for _ in range(15):
        world.run(chance.uniform(0, 3))
        worker = chance.choice(workers)
        if worker.alive:
            worker.kill()
            world.later(chance.uniform(0, 5), worker.start)
        match chance.randrange(5):
            case 0:
                machine = chance.choice(machines)
                if machine.alive:
                    machine.kill()
                    world.later(chance.uniform(0, 10), machine.start)
            case 1 if world.broker_up:
                world.restart_broker(chance.uniform(0, 5))
            case 2:
                worker = chance.choice(workers)
                if worker.alive:
                    worker.freeze(chance.uniform(0, 60))
    assert world.run(2000, lambda: answered(*machines))
    for machine in machines:
        assert texts_of(machine) == {number + 1: f"{machine.path.stem}/{number}" for number in range(150)}
        assert sorted(set(machine.answers)) == sorted(machine.answers)


def test_a_job_that_kills_its_workers_is_given_up_after_six_and_takes_no_other_with_it(tmp_path: Path) -> None:
    world = World(3)
    workers = [WorkerMachine(world, f"w{number}", threads=1) for number in range(3)]
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add(["a"] * 30 + [POISON] + ["b"] * 30)
    assert world.run(600, lambda: answered(machine))
    texts = texts_of(machine)
    assert texts.pop(31).startswith("given up after 6 tries: (1) w")
    assert set(texts.values()) == {"a", "b"}
    assert sum(worker.runs.count("d1-31") for worker in workers) == 6


def test_a_job_that_breaks_is_tried_on_other_workers_first(tmp_path: Path) -> None:
    world = World(4)
    workers = [WorkerMachine(world, f"w{number}", threads=1) for number in range(3)]
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add([BROKEN])
    assert world.run(600, lambda: answered(machine))
    assert texts_of(machine)[1].count("it broke") == 3
    assert [worker.runs for worker in workers] == [["d1-1"]] * 3


def test_a_worker_that_is_only_stopped_loses_its_jobs_and_its_late_results_are_dropped(tmp_path: Path) -> None:
    world = World(5)
    frozen = WorkerMachine(world, "frozen", threads=2)
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add([f"t{number}" for number in range(20)])
    world.run(1.0)
    frozen.freeze(60)
    world.run(0.5)
    WorkerMachine(world, "other", threads=1)
    assert world.run(59, lambda: answered(machine))
    world.run(100)
    assert len(machine.answers) == 20
    assert machine.dispatcher.tally.finished == 20


def test_two_dispatchers_share_a_worker_fairly(tmp_path: Path) -> None:
    world = World(6)
    WorkerMachine(world, "w1", threads=2)
    first = DispatcherMachine(world, tmp_path / "d1")
    first.add(["x"] * 400)
    world.run(5)
    second = DispatcherMachine(world, tmp_path / "d2")
    second.add(["y"] * 400)
    before = first.ledger.counts.done
    world.run(40)
    done = (first.ledger.counts.done - before, second.ledger.counts.done)
    assert min(done) > 0.8 * max(done)


def test_a_restarted_dispatcher_gets_results_that_it_missed_without_running_them_again(tmp_path: Path) -> None:
    world = World(7)
    worker = WorkerMachine(world, "w1", threads=4, seconds=1.0)
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add(["t"] * 4)
    world.run(0.4)
    machine.kill()
    world.run(5)
    machine.start()
    assert world.run(5, lambda: answered(machine))
    assert len(worker.runs) == 4


def test_an_answer_that_got_lost_is_asked_for_and_not_worked_out_again(tmp_path: Path) -> None:
    world = World(9)
    worker = WorkerMachine(world, "w1", threads=1, beat=2.0)
    machine = DispatcherMachine(world, tmp_path / "d1")
    lost: list[bytes] = []

    def swallow(topic: str, payload: bytes) -> bool:
        if b"finished" in payload and not lost:
            lost.append(payload)
            return True
        return False

    world.swallow = swallow
    machine.add(["t"])
    assert world.run(6, lambda: answered(machine))
    assert lost
    assert worker.runs == ["d1-1"]


def test_the_jobs_of_a_worker_that_vanished_are_given_on_without_waiting_for_its_heartbeat(tmp_path: Path) -> None:
    world = World(10)
    worker = WorkerMachine(world, "w1", threads=1, beat=600.0, seconds=100.0)
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add(["t"])
    world.run(1)
    worker.kill()
    WorkerMachine(world, "w2", threads=1)
    assert world.run(15, lambda: answered(machine))


def test_a_worker_that_restarted_has_lost_its_jobs_at_once(tmp_path: Path) -> None:
    world = World(11)
    worker = WorkerMachine(world, "w1", threads=1, beat=600.0, seconds=100.0)
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add(["t"])
    world.run(1)
    worker.kill()
    worker.seconds = 0.1
    worker.start()
    assert world.run(5, lambda: answered(machine))
    assert machine.dispatcher.tally.strikes == 1


def test_an_orderly_end_takes_the_jobs_back_from_the_workers(tmp_path: Path) -> None:
    world = World(8)
    worker = WorkerMachine(world, "w1", seconds=50.0)
    machine = DispatcherMachine(world, tmp_path / "d1")
    machine.add(["t"] * 10)
    world.run(3)
    assert worker.worker.running
    machine.dispatcher.withdraw()
    machine.flush()
    machine.kill()
    world.run(1)
    assert not worker.worker.running
