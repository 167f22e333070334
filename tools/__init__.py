"""Programs for the make targets: set-up, locks, checks, generated pages, mutation tests."""
