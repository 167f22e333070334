"""The serial console: a line over which a box can be driven and read from outside."""
