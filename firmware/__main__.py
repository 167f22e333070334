"""``python -m firmware``: the command ``tellerbox``, where only the interpreter is at hand."""

import sys

from firmware.cli import main

sys.exit(main())
