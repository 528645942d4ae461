"""Shoal hides every record of a table among at least k alike."""
