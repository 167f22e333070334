"""The box as a service: its units, and what installs them."""
