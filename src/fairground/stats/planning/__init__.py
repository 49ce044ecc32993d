"""How much to run and when to stop: designs for a target precision, and intervals that are valid at every look."""
