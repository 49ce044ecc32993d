"""Local servers that speak vendors' protocols, as strictly as the real ones do."""
