"""``python -m firmware`` runs the command ``tellerbox`` without installing it.

Tests: tests/unit/firmware/test_cli.py.
"""

import sys

from firmware.cli import main

sys.exit(main())
