"""Recognize columns that identify persons, by their values."""
