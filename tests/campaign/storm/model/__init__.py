"""A naive model of the bank: what must be true. It shares nothing with the bank.

It may import: nothing.
"""
