"""`python -m fairground` is the command line."""

import sys

from fairground.cli import main

sys.exit(main())
