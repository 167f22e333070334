"""Runs ``tellerbox`` as ``python -m tests.unit.as_command``, for tests of the whole process."""

import sys

from firmware.cli import main

sys.exit(main())
