"""People's votes between two agents: reading them, ratings, rankings, tests, and how many are needed."""
