"""Years of evenings on one ledger: the cost of a start, of the file and of memory."""
