"""``python -m fanqi.stdio``: the same as ``fanqi engine``."""

import sys

from fanqi.stdio.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
