"""Comparing methods and levels of protection: every point is a whole, verified release."""
