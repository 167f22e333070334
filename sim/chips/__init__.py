"""Models of the chips, from their data sheets, below the packages that talk to them.

They are written independently of the drivers: no constant is shared, so that a
mistake in a driver cannot hide behind the same mistake in its model.
"""
