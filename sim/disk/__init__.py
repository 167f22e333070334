"""A disk that can fail: between SQLite and its files, as an SD card under a Pi fails."""
