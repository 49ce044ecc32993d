"""What varies and what it does: matched pairs along an axis, variance components, the cost of a wrong choice."""
