"""What stands in for hardware."""
