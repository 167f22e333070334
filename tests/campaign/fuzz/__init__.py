"""Fuzzing of everything that parses input from outside."""
