"""Compare methods and levels of k; every point is a complete, verified release."""
