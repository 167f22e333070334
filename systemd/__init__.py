"""The systemd service and its installer."""
