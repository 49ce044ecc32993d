"""How much to run, and when to stop: designs for a wanted precision, and intervals for every look."""
