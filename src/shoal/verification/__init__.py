"""Verification of released values, independent of the methods."""
