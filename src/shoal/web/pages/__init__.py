"""Pages of the web app, one module per step, each with its ``routes``."""
