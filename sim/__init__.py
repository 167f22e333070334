"""Boxes without hardware: the software board, its clocks, and the script player."""
