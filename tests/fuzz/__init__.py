"""Bytes that nobody meant, for everything that reads what somebody else wrote."""
