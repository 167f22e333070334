"""The storm: evenings of hurried players and faults, compared with a model of the bank."""
