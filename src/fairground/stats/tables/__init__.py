"""Tables of episodes: strict reading, and counting."""
