"""Memory for tables: what is free, and what happens when it is not enough."""

from __future__ import annotations

import pytest

from fanqi.game import GAME_NAMES, load_game
from fanqi.search import Settings, memory
from fanqi.search.memory import TableMemoryError, free_mib, take_table

GIB = 1 << 30


class Table:
    def __init__(self, mebibytes):
        self.mebibytes = mebibytes


def make_machine(root, available_kib, groups="", **files):
    """A machine's ``proc`` and ``sys``; files by their path in ``sys/fs/cgroup``."""
    texts = {"proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {available_kib} kB\n", "proc/self/cgroup": groups}
    texts |= {f"sys/fs/cgroup/{path}": text for path, text in files.items()}
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(autouse=True)
def no_other_tables(monkeypatch):
    monkeypatch.setattr(memory, "taken", [])


def test_free_is_what_the_machine_says_less_a_sixteenth(tmp_path):
    assert free_mib(make_machine(tmp_path, 3 << 20)) == 2880


def test_nothing_is_known_where_the_system_does_not_tell(tmp_path):
    assert free_mib(tmp_path) is None


def test_a_control_group_may_allow_less(tmp_path):
    files = {
        "a/memory.max": f"{GIB}\n",
        "a/memory.current": f"{GIB // 2}\n",
        "a/memory.stat": "inactive_file 1048576\n",
    }
    assert free_mib(make_machine(tmp_path, 3 << 20, "0::/a/b\n", **files)) == 513 - 32


def test_a_control_group_without_a_limit_allows_all(tmp_path):
    files = {"memory.max": "max\n", "memory.current": "5\n"}
    assert free_mib(make_machine(tmp_path, 3 << 20, "0::/\n", **files)) == 2880


def test_control_groups_of_version_1_count_as_well(tmp_path):
    folder = "memory/box"
    files = {f"{folder}/memory.limit_in_bytes": f"{GIB}\n", f"{folder}/memory.usage_in_bytes": f"{GIB // 4}\n"}
    assert free_mib(make_machine(tmp_path, 3 << 20, "5:pids:/\n4:memory:/box\n0::/\n", **files)) == 768 - 48


def test_a_group_that_is_over_its_limit_allows_nothing(tmp_path):
    files = {"memory.max": "1000", "memory.current": "2000"}
    assert free_mib(make_machine(tmp_path, 3 << 20, "0::/\n", **files)) == 0


def test_a_table_counts_as_the_power_of_two_it_is(monkeypatch):
    monkeypatch.setattr(memory, "free_mib", lambda: 1000)
    assert take_table(1023, Table).mebibytes == 1023
    with pytest.raises(TableMemoryError, match=r"^there is no memory for a hash table of 1024 MiB, 1000 MiB are free$"):
        take_table(1024, Table)


@pytest.mark.parametrize("free", [None, 1000])
def test_a_table_that_the_system_refuses_is_an_error_that_does_not_say_how_much_is_free(monkeypatch, free):
    def refuse(mebibytes):
        raise MemoryError

    monkeypatch.setattr(memory, "free_mib", lambda: free)
    with pytest.raises(TableMemoryError, match=r"^there is no memory for a hash table of 16 MiB$"):
        take_table(16, refuse)


def test_what_is_promised_to_other_tables_is_not_free(monkeypatch, tmp_path):
    status = tmp_path / "proc/self/status"
    status.parent.mkdir(parents=True)
    status.write_text("Name:\tfanqi\nRssAnon:\t  102400 kB\n")
    monkeypatch.setattr(memory, "free_mib", lambda: 1000)
    monkeypatch.setattr(memory, "unused_mib", lambda unused=memory.unused_mib: unused(tmp_path))
    first = take_table(600, Table)
    with pytest.raises(TableMemoryError, match="588 MiB are free"):
        take_table(1024, Table)
    second = take_table(512, Table)
    with pytest.raises(TableMemoryError, match="76 MiB are free"):
        take_table(128, Table)
    del first, second
    take_table(512, Table)


def test_tables_that_are_in_use_are_counted_by_the_system(monkeypatch, tmp_path):
    status = tmp_path / "proc/self/status"
    status.parent.mkdir(parents=True)
    status.write_text(f"RssAnon:\t{600 << 10} kB\n")
    monkeypatch.setattr(memory, "free_mib", lambda: 1000)
    table = take_table(512, Table)
    assert (table.mebibytes, memory.unused_mib(tmp_path)) == (512, 0)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_an_engine_that_has_no_memory_for_its_table_can_do_with_a_smaller_one(monkeypatch, name):
    monkeypatch.setattr(memory, "free_mib", lambda: 8)
    engine = load_game(name).engine()
    engine.configure(Settings(hash_mib=16))
    with pytest.raises(TableMemoryError):
        engine.reserve()
    engine.configure(Settings(hash_mib=8))
    engine.reserve()
