"""Foreign wire dialects, read and written as pure functions that hosts and engines share.

One module a dialect: `flipello`, `gtp`, `nboard`, `tcga`, `xboard` with `xboard_options`, `cassio`. Each reads what
either side can say and writes it; none knows of processes, sockets or searches.
"""

from fanqi.dialects.errors import DialectError

__all__ = ["DialectError"]
