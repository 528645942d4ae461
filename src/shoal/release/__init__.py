"""Use cases: anonymize, replay, inspect, verify and explain; the release and its files."""
