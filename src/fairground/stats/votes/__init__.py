"""Votes between two agents: reading, ratings, rankings, tests, and how many votes are needed."""
