"""The character sets of SGF's ``CA`` property.

They matter for more than names: in Shift_JIS, GBK and Big5 the second byte of a character may be that of ``\\`` or
``]``, so a file has to be decoded before its brackets are looked at.
"""

from __future__ import annotations

import re

from fanqi.records.source import UTF8_BOM, decode

__all__ = ["REPLACEMENT", "CharsetDecoder", "codec_of"]

REPLACEMENT = "\ufffd"

CODECS = {
    "big5": "cp950",
    "big5hkscs": "big5hkscs",
    "euccn": "gb18030",
    "eucjp": "euc_jp",
    "euckr": "cp949",
    "gb18030": "gb18030",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso2022jp": "iso2022_jp",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "ksc5601": "cp949",
    "shiftjis": "cp932",
    "sjis": "cp932",
    "tis620": "tis_620",
    "usascii": "",
    "ascii": "",
    "utf8": "",
    "latin1": "",
    "windows31j": "cp932",
    **{f"cp{number}": f"cp{number}" for number in (932, 936, 949, 950)},
    **{f"iso8859{part}": f"iso8859_{part}" for part in range(1, 17) if part != 12},
    **{f"windows{number}": f"cp{number}" for number in range(1250, 1259)},
    **{f"cp{number}": f"cp{number}" for number in range(1250, 1259)},
}
"""Python's codec for a name without its signs, where there are several the one that includes the others. Empty: UTF-8,
or Latin-1 where it is not that."""

CHARSET = re.compile(rb"CA\s*+\[([^\]]{1,40}+)\]")


def codec_of(name: str) -> str | None:
    """The codec of a charset name in a file; empty for the choice of `decode`, None for an unknown name."""
    return CODECS.get(re.sub(r"[^a-z0-9]", "", name.lower()))


class CharsetDecoder:
    """Decodes the lines of an SGF file by what its ``CA`` properties say, each from its own line on.

    Args:
        head: the first bytes of the file: names may stand on a line before the first ``CA``.
    """

    def __init__(self, head: bytes) -> None:
        self._codec = ""
        self._marked = head.startswith(UTF8_BOM)  # or it was UTF-16: what it says of itself is not so
        self._look(head)

    def _look(self, data: bytes) -> None:
        if not self._marked and (found := CHARSET.search(data)):
            self._codec = codec_of(found[1].decode("latin-1")) or ""

    def __call__(self, line: bytes) -> str:
        if b"CA" in line:
            self._look(line)
        if not self._codec:
            return decode(line)
        return line.decode(self._codec, "replace")
