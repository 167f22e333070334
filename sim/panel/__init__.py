"""The front panel: the box in a browser."""
