"""Two bitmap fonts for the small rows: X.org's misc-fixed, which are in the public domain.

Each is a picture of all the letters, 32 a row, beginning with the space, in the
order of Latin-1. ``hal.picture`` cuts them out.
"""
