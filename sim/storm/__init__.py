"""The storm: hurried people, faults, and a model that says what must be true all the same."""
