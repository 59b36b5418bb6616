"""The file of one kernel: whatever is done to it, what comes back is what was written, or an error."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fanqi.kernels.file import KernelFileError, kernel_path, read_kernel, write_kernel
from fanqi.kernels.trust import distrust

KEY = "made from this, for that"
PAYLOAD = bytes(range(256)) * 3


@pytest.fixture
def path(tmp_path):
    path = kernel_path(tmp_path / "root" / "package" / "module", "module.kernel", KEY)
    write_kernel(path, KEY, PAYLOAD)
    return path


def test_what_was_written_is_read(path):
    assert read_kernel(path, KEY) == PAYLOAD
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_no_file_is_no_payload(path):
    path.unlink()
    assert read_kernel(path, KEY) is None


def test_another_key_has_another_file_and_takes_no_payload_of_this_one(path):
    assert kernel_path(path.parent, "module.kernel", "another") != path
    with pytest.raises(KernelFileError, match="is the file of another kernel"):
        read_kernel(path, "another")


@pytest.mark.parametrize("length", [*range(0, 60, 7), 51, -1])
def test_a_file_that_was_cut_is_damaged(path, length):
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(KernelFileError, match="is damaged"):
        read_kernel(path, KEY)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_a_file_in_which_one_bit_or_more_changed_is_damaged(path, data):
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = data.draw(st.binary(min_size=1, max_size=9).filter(lambda new: whole[place:].startswith(new) is False))
    try:
        path.write_bytes(whole[:place] + changed + whole[place + len(changed) :])
        with pytest.raises(KernelFileError, match="is damaged"):
            read_kernel(path, KEY)
    finally:
        path.write_bytes(whole)


def test_a_file_of_terabytes_is_damaged_and_not_read(path):
    os.truncate(path, 1 << 40)
    with pytest.raises(KernelFileError, match="is damaged"):
        read_kernel(path, KEY)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes")
@pytest.mark.parametrize(
    ("uid", "mode", "reason"),
    [
        (1000, 0o100644, None),
        (0, 0o100444, None),
        (1001, 0o100644, "belongs to another user (uid 1001)"),
        (1000, 0o100664, "can be written by other users (mode 664; chmod go-w helps)"),
        (0, 0o040777, "can be written by other users (mode 777; chmod go-w helps)"),
    ],
)
def test_only_this_user_and_root_may_have_written_what_is_trusted(monkeypatch, uid, mode, reason):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert distrust(os.stat_result((mode, 1, 1, 1, uid, 100, 0, 0, 0, 0))) == reason


def test_root_does_not_trust_what_other_users_have_written(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert distrust(os.stat_result((0o100644, 1, 1, 1, 1000, 100, 0, 0, 0, 0))) == "belongs to another user (uid 1000)"
