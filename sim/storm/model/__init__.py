"""A naive model of the box, which imports nothing of it: what the storm and random play trust."""
