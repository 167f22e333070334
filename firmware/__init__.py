"""The bank: what the box decides, and the books it keeps."""

__version__ = "0.1.0"
