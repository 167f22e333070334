"""What the make commands run: setting up, locking versions, checking imports."""
