"""Tables of episodes: reading them strictly, and counting them."""
