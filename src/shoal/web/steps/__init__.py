"""What a person sees, a file a step; each has its ``routes``."""
