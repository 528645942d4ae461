"""Projects: their model, store and files."""
