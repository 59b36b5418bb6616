"""``python -m fanqi`` is the `fanqi` command. This folder has no ``__init__.py``: `fanqi` is a namespace."""

import sys

from fanqi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
