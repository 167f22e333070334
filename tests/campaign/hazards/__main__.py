"""Run the search for hazards."""

import sys

from tests.campaign.hazards.command import main

if __name__ == "__main__":
    sys.exit(main())
