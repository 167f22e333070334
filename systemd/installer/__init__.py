"""Installs, updates and removes the box as a service.

A failure at any step, also of the power, leaves the installed box working, and the next run
completes the work:

- A release is a folder below ``/opt/tellerbox/releases``, built beside the active one and
  marked as complete once all of it is on disk. Releases without a marker are deleted.
- ``/opt/tellerbox/current`` is a symbolic link, so switching is atomic.
- A release that does not come up is rolled back, with its unit and with the ledgers that it
  has migrated.
- Every step is idempotent: it changes only what differs, and reports each change.

It runs as root. What others can write meanwhile is not trusted by its path:

- The checkout, an ordinary user's, is read once (``checkout``). Its code runs as root all the same.
- In the folder of the ledgers, the service's, root only changes owners, and by descriptors
  (``ownership``). All else there is done as the service's user (``service_user``).
- Of the caller's environment only a few settings are kept (``environment``).
"""
