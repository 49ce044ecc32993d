"""Arena pages and API: battles of two anonymous agents, votes, leaderboard, administration."""
