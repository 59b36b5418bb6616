"""Files that commands keep or are given: what they may be."""

from fanqi.files.certificate import server_context
from fanqi.files.lines import append_line
from fanqi.files.regular import require_regular
from fanqi.files.secret import SecretError, read_secret

__all__ = ["SecretError", "append_line", "read_secret", "require_regular", "server_context"]
