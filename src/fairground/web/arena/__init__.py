"""The arena: battles of two anonymous agents, votes, the leaderboard, and those who see to it."""
