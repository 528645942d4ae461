"""Engines: who works on a table that is larger than memory. They schedule; what is computed stands in the plan."""
