"""``python -m fanqi.cli`` is the `fanqi` command."""

import sys

from fanqi.cli.main import main

sys.exit(main())
