"""Power cuts and failing disk calls while the store writes. No move that was shown may be lost."""
