"""Files that commands keep or are given: what they may be, and what is said when they cannot be had."""

from fanqi.files.certificate import server_context
from fanqi.files.errors import FileError, described, reason_of
from fanqi.files.lines import append_line
from fanqi.files.regular import require_place, require_regular
from fanqi.files.secret import SecretError, read_secret
from fanqi.files.small import read_small
from fanqi.files.whole import write_whole

__all__ = [
    "FileError",
    "SecretError",
    "append_line",
    "described",
    "read_secret",
    "read_small",
    "reason_of",
    "require_place",
    "require_regular",
    "server_context",
    "write_whole",
]
