"""Failing calls to buses and pins; the drivers must survive each of them."""
