"""A disk that can fail, placed between SQLite and its files, like an SD card in a Pi."""
