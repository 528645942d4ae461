"""Options of a release: their declarations and the checks of their values. Importing it loads nothing heavy."""
