"""Engines: where a release pipeline runs. An engine schedules the work; the plan defines what is computed."""
