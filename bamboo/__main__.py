"""``python -m bamboo``."""

import sys

from bamboo.cli import main

sys.exit(main())
