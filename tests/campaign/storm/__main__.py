"""Run the storm."""

import sys

from tests.campaign.storm.command import main

if __name__ == "__main__":
    sys.exit(main())
