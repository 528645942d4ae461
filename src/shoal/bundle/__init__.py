"""Bundles: a release with all the evidence for it in one zip file, which can be checked and replayed from itself."""
