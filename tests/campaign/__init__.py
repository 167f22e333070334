"""The fault campaign: attacks on the bank and its drivers. For developers only; never shipped."""
