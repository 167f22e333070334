"""Random play on the box and on the naive model, compared after every step."""
