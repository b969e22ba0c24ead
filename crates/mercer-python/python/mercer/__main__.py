"""``python -m mercer`` is the command ``mercer``."""

import sys

from mercer._command import main

sys.exit(main())
