"""``python -m bamboo``."""

import sys

from bamboo.cli.main import main

sys.exit(main())
