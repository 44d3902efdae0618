"""The static site: leaderboard, metrics, significance, tables, and every pair explained."""
