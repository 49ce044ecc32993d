"""Effects of axes: matched pairs along an axis, variance components, and regret of a wrong choice."""
