"""Bundles: a release with all its evidence in one zip file that can be verified and replayed on its own."""
