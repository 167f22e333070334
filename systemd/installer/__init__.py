"""Puts the box on a Pi as a service, brings it up to date, and takes it away again.

Whatever goes wrong on the way, and be it the power, the box that was there goes on, and
the next run completes what this one began:

- A release is a folder below ``/opt/tellerbox/releases``, made beside the one in use and
  marked as complete when all of it is on disk. What has no mark is thrown away.
- ``/opt/tellerbox/current`` is a link, so it is switched in one step.
- A release that does not come up is switched back, with its unit, and with the ledgers
  that it has brought to a newer format.
- Every step looks first and changes only what is not so already, and says so.
"""
